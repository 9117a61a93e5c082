import { homedir } from 'node:os';
import { join } from 'node:path';

/** The file that the user named on the command line, if any, and the data directory. */
export interface HostLocation {
  readonly config: string | undefined;
  /** Absolute path of the data directory. */
  readonly data: string;
}

/** Returns the file of the SQLite store in the data directory. */
export function journalFile({ data }: Pick<HostLocation, 'data'>): string {
  return join(data, 'signalbox.db');
}

/** Abbreviates the home directory in a path to `~`. */
export function shortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
