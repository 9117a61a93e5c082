import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isPrivateFile, replaceFile } from '../../config/file/atomic-file.ts';
import type { ProcessRole } from '../../server/process-role.ts';

/** A server that was started on a data directory, on this machine. */
export interface RunFile {
  readonly url: string;
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Absent for servers of older versions. */
  readonly role?: ProcessRole;
  /** The path of its configuration file, which may not exist. */
  readonly configuration?: string;
  /** Authenticates the command line while the server listens. Never print it. */
  readonly key?: string;
}

/** What is set down of it. */
interface Told extends RunFile {
  /** When its process began, as the system counts: the id alone may be another one's by now, and so may the port. */
  readonly begun?: string;
}

const directoryOf = (data: string): string => join(data, 'running');

/** Writes the run file that other commands find this server by. Returns a function that removes it. */
export function writeRunFile(data: string, server: RunFile): () => void {
  const directory = directoryOf(data);
  const file = join(directory, `${server.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const told: Told = { ...server, ...processStart(server.pid) };
    replaceFile(file, `${JSON.stringify(told)}\n`, 0o600);
  } catch {
    // Other commands then work without the server.
  }
  return () => rmSync(file, { force: true });
}

/** The servers that run on this data directory. What a killed one left behind is removed. */
export function readRunFiles(data: string): readonly RunFile[] {
  const directory = directoryOf(data);
  return listed(directory).flatMap((name) => {
    const file = join(directory, name);
    // A file that other users could have written says nothing, and is not ours to remove.
    if (!isPrivate(file)) return [];
    const told = read(file);
    if (told === undefined || !isAlive(told)) {
      rmSync(file, { force: true });
      return [];
    }
    const { begun: _begun, ...server } = told;
    return [server];
  });
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function read(file: string): Told | undefined {
  try {
    const { url, pid, startedAt, begun, role, configuration, key } = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as Partial<Told>;
    if (typeof url !== 'string' || typeof pid !== 'number' || typeof startedAt !== 'string') return undefined;
    return {
      url,
      pid,
      startedAt,
      ...(begun === undefined ? {} : { begun }),
      ...(role === undefined ? {} : { role }),
      ...(typeof configuration === 'string' ? { configuration } : {}),
      ...(typeof key === 'string' && isOnThisMachine(url) ? { key } : {}),
    };
  } catch {
    return undefined;
  }
}

function isPrivate(file: string): boolean {
  try {
    return isPrivateFile(lstatSync(file));
  } catch {
    return false;
  }
}

/** Returns whether an address is on this machine. The key is sent nowhere else, even if the file names another host. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

/** Whether it is the same process still: whoever else has its port by now must not be sent our token. */
function isAlive({ pid, begun }: Told): boolean {
  try {
    return process.kill(pid, 0) && processStart(pid).begun === begun;
  } catch {
    // None, or somebody else's.
    return false;
  }
}

/** When a process began; nothing where the system does not tell. */
export function processStart(pid: number): Pick<Told, 'begun'> {
  try {
    const [, after = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const begun = after.split(' ')[19];
    return begun === undefined ? {} : { begun };
  } catch {
    return {};
  }
}
