import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isPrivateFile, replaceFile } from '../../config/file/atomic-file.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ProcessRole } from '../../server/server-options.ts';

/** Describes a running server of a data directory on this machine. Other commands find the server through this file. */
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

interface StoredRunFile extends RunFile {
  /** The start time of the process in clock ticks since boot. Detects that its id was reused by another process. */
  readonly begun?: string;
}

const directoryOf = (data: string): string => join(data, 'running');

/** Writes the file of this server. Returns a function that removes it. */
export function writeRunFile(data: string, server: RunFile): () => void {
  const directory = directoryOf(data);
  const file = join(directory, `${server.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const stored: StoredRunFile = { ...server, ...processStart(server.pid) };
    replaceFile(file, `${JSON.stringify(stored)}\n`, 0o600);
  } catch {
    // If this fails, other commands work without the server.
  }
  return () => rmSync(file, { force: true });
}

/** Returns the servers that run on a data directory. Removes the files of killed ones. */
export function readRunFiles(data: string): readonly RunFile[] {
  const directory = directoryOf(data);
  return fileNames(directory).flatMap((name) => {
    const file = join(directory, name);
    // A file that other users could have written is not trusted, and not removed.
    if (!isPrivate(file)) return [];
    const stored = read(file);
    if (stored === undefined || !isAlive(stored)) {
      rmSync(file, { force: true });
      return [];
    }
    const { begun: _begun, ...server } = stored;
    return [server];
  });
}

function fileNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function read(file: string): StoredRunFile | undefined {
  try {
    const { url, pid, startedAt, begun, role, configuration, key } = JSON.parse(
      readFileSync(file, 'utf8'),
    ) as Partial<StoredRunFile>;
    if (typeof url !== 'string' || typeof pid !== 'number' || typeof startedAt !== 'string') return undefined;
    return {
      url,
      pid,
      startedAt,
      ...omitUndefined({ begun, role }),
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

/** Returns whether an address is on this machine. The key must not be sent to another host, even if the file names one. */
function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

/** Returns whether the same process still runs. A key must not be sent to another process that has taken its port. */
function isAlive({ pid, begun }: StoredRunFile): boolean {
  try {
    return process.kill(pid, 0) && processStart(pid).begun === begun;
  } catch {
    // The process does not exist, or belongs to another user.
    return false;
  }
}

/** Returns the start time of a process; an empty object on systems without /proc. */
export function processStart(pid: number): Pick<StoredRunFile, 'begun'> {
  try {
    const [, after = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const begun = after.split(' ')[19];
    return begun === undefined ? {} : { begun };
  } catch {
    return {};
  }
}
