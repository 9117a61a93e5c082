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

const directoryOf = (data: string): string => join(data, 'running');

/** Sets down that a server runs here, for `signalbox status`; returns how to take that back. */
export function tellRunning(data: string, server: RunningServer): () => void {
  const directory = directoryOf(data);
  const file = join(directory, `${server.pid}.json`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    replaceFile(file, `${JSON.stringify(server)}\n`, 0o600);
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
    const server = read(file);
    if (server !== undefined && isAlive(server.pid)) return [server];
    rmSync(file, { force: true });
    return [];
  });
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function read(file: string): RunningServer | undefined {
  try {
    const { url, pid, startedAt } = JSON.parse(readFileSync(file, 'utf8')) as Partial<RunningServer>;
    const isWhole = typeof url === 'string' && typeof pid === 'number' && typeof startedAt === 'string';
    return isWhole ? { url, pid, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
