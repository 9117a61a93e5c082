import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../config/replace-file.ts';

/** A server that was started on a data directory, on this machine. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** What is set down of it. */
interface Told extends RunningServer {
  /** When its process began, as the system counts: the id alone may be another one's by now, and so may the port. */
  readonly begun?: string;
}

const directoryOf = (data: string): string => join(data, 'running');

/** Sets down that a server runs here, for `signalbox status`; returns how to take that back. */
export function tellRunning(data: string, server: RunningServer): () => void {
  const directory = directoryOf(data);
  const file = join(directory, `${server.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const told: Told = { ...server, ...begunOf(server.pid) };
    replaceFile(file, `${JSON.stringify(told)}\n`, 0o600);
  } catch {
    // Nothing but `signalbox status` depends on it.
  }
  return () => rmSync(file, { force: true });
}

/** The servers that run on this data directory. What a killed one left behind is removed. */
export function runningServers(data: string): readonly RunningServer[] {
  const directory = directoryOf(data);
  return listed(directory).flatMap((name) => {
    const file = join(directory, name);
    const told = read(file);
    if (told === undefined || !isAlive(told)) {
      rmSync(file, { force: true });
      return [];
    }
    const { url, pid, startedAt } = told;
    return [{ url, pid, startedAt }];
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
    const told = JSON.parse(readFileSync(file, 'utf8')) as Partial<Told>;
    const { url, pid, startedAt, begun } = told;
    const isWhole = typeof url === 'string' && typeof pid === 'number' && typeof startedAt === 'string';
    return isWhole ? { url, pid, startedAt, ...(begun === undefined ? {} : { begun }) } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is the same process still: whoever else has its port by now must not be sent our token. */
function isAlive({ pid, begun }: Told): boolean {
  try {
    return process.kill(pid, 0) && begunOf(pid).begun === begun;
  } catch {
    // None, or somebody else's.
    return false;
  }
}

/** When a process began; nothing where the system does not tell. */
export function begunOf(pid: number): Pick<Told, 'begun'> {
  try {
    const [, after = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const begun = after.split(' ')[19];
    return begun === undefined ? {} : { begun };
  } catch {
    return {};
  }
}
