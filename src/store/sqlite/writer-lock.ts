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
import { isBusy } from './store-failure.ts';

/** What a process leaves that is killed before its lock has its name. */
const unfinished = /\.lock\.new(?:-journal)?$/;
const oldMs = 60_000;

/**
 * Shows other processes that this writer is alive: an otherwise empty SQLite file, locked for as long as the process lives.
 * The operating system lets go of the lock when the process dies, however it dies; a process id could be taken again.
 */
export class WriterLock {
  /** Where the locks are. */
  readonly directory: string;
  readonly #file: string;
  readonly #lock: DatabaseSync;

  constructor(directory: string, writer: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.directory = directory;
    this.#file = join(directory, `${writer}.lock`);
    // Locked before it gets its name, so that nobody ever finds it unlocked.
    const unnamed = `${this.#file}.new`;
    this.#lock = new DatabaseSync(unnamed);
    // A journal beside it would keep the file's first name, and outlive a process that is killed.
    this.#lock.exec(
      `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA user_version = ${process.pid}; BEGIN EXCLUSIVE`,
    );
    renameSync(unnamed, this.#file);
  }

  /** The writers that are alive, this one included. Removes what dead ones left behind. */
  living(): Set<string> {
    const living = new Set<string>();
    for (const name of readdirSync(this.directory)) {
      const file = join(this.directory, name);
      if (unfinished.test(name) && isOld(file)) rmSync(file, { force: true });
      if (!name.endsWith('.lock')) continue;
      if (isLocked(file)) living.add(name.slice(0, -'.lock'.length));
      else rmSync(file, { force: true });
    }
    return living;
  }

  release(): void {
    this.#lock.close();
    rmSync(this.#file, { force: true });
  }
}

/** A writer that is alive. */
export interface LivingWriter {
  readonly writer: string;
  /** The id of its process; 0 when an earlier version made the lock. */
  readonly process: number;
}

/** The writers of other processes that are alive; changes nothing. */
export function livingWriters(directory: string): readonly LivingWriter[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.lock') && isLocked(join(directory, name)))
    .map((name) => ({ writer: name.slice(0, -'.lock'.length), process: userVersion(join(directory, name)) }));
}

/** Read past the lock, from where SQLite keeps it. Not for a lock of this process, which closing the file would drop. */
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
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > oldMs;
}

function isLocked(file: string): boolean {
  let probe: DatabaseSync | undefined;
  const address = pathToFileURL(file);
  // Without it, looking would make the file anew that another process has just removed.
  address.searchParams.set('mode', 'rw');
  try {
    probe = new DatabaseSync(address, { timeout: 0 });
    probe.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // Another process that looked at the same time found it unlocked, and removed it.
    if (!existsSync(file)) return false;
    throw error;
  } finally {
    probe?.close();
  }
}
