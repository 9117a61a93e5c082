import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { tryLock } from './file-lock.ts';

/** The files of a process that was killed before it renamed its lock. */
const leftoverFile = /\.lock\.new(?:-journal)?$/;
const maxLeftoverAgeMs = 60_000;

/**
 * Shows other processes that its owner is alive: an empty SQLite file that stays locked while the process lives. The operating
 * system releases the lock whenever the process dies. A process id could be reused, and containers that share a volume cannot
 * see each other's processes.
 */
export class PresenceLock {
  /** The directory of the lock files. */
  readonly directory: string;
  readonly #file: string;
  readonly #lock: DatabaseSync;

  constructor(directory: string, owner: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.directory = directory;
    this.#file = join(directory, `${owner}.lock`);
    // Locked before it is renamed, so that no process ever finds it unlocked.
    const temporaryFile = `${this.#file}.new`;
    this.#lock = new DatabaseSync(temporaryFile);
    // A journal file would keep the first name of the lock file and outlive a killed process.
    this.#lock.exec(
      `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA user_version = ${process.pid}; BEGIN EXCLUSIVE`,
    );
    renameSync(temporaryFile, this.#file);
  }

  /** Returns the live owners, including this one. Removes the files of dead ones. */
  liveOwners(): Set<string> {
    const live = new Set<string>();
    for (const name of readdirSync(this.directory)) {
      const file = join(this.directory, name);
      if (leftoverFile.test(name) && isOld(file)) rmSync(file, { force: true });
      if (!name.endsWith('.lock')) continue;
      if (isLocked(file)) live.add(name.slice(0, -'.lock'.length));
      else rmSync(file, { force: true });
    }
    return live;
  }

  release(): void {
    this.#lock.close();
    rmSync(this.#file, { force: true });
  }
}

/** The live owner of a lock. */
export interface LiveOwner {
  readonly owner: string;
  /** The id of its process; 0 when unknown. */
  readonly process: number;
}

/** Returns the live owners in other processes, without removing files. */
export function listLiveOwners(directory: string): readonly LiveOwner[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.lock') && isLocked(join(directory, name)))
    .map((name) => ({ owner: name.slice(0, -'.lock'.length), process: userVersion(join(directory, name)) }));
}

/** Reads SQLite's user version directly from the locked file. Must not be used for a lock of this process, because closing the file would drop it. */
function userVersion(file: string): number {
  const bytes = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, bytes, 0, 4, 60) === 4 ? bytes.readInt32BE() : 0;
  } finally {
    closeSync(descriptor);
  }
}

function isOld(file: string): boolean {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > maxLeftoverAgeMs;
}

function isLocked(file: string): boolean {
  let probe: DatabaseSync | undefined;
  const address = pathToFileURL(file);
  // Without this mode, the check would recreate a file that another process has just removed.
  address.searchParams.set('mode', 'rw');
  try {
    probe = new DatabaseSync(address, { timeout: 0 });
    return !tryLock(probe);
  } catch (error) {
    // Another process found it unlocked at the same time and removed it.
    if (!existsSync(file)) return false;
    throw error;
  } finally {
    probe?.close();
  }
}
