import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

const retryMs = 50;
/** The primary error code of SQLite, in the lowest byte, when another connection holds the lock. */
const sqliteBusy = 5;

/**
 * Runs `work` while no other process and no other caller in this process holds the lock on `file`. Rejects without running it
 * when the lock is not free within `waitMs`.
 *
 * The lock is SQLite's lock on an empty database: the operating system releases it when its process dies, so a lock is never
 * stale and never taken from a live process. The file stays, because removing it would let two processes lock two files.
 */
export async function withFileLock<Result>(file: string, waitMs: number, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const giveUpAt = Date.now() + waitMs;
    while (!tryLock(database)) {
      if (Date.now() >= giveUpAt)
        throw new Error(
          `another process has held the lock ${file} for more than ${waitMs / 1000} s; end it and try again`,
        );
      await wait(retryMs);
    }
    return await work();
  } finally {
    database.close();
  }
}

/** Takes the lock of a file until its database is closed. Returns false when another connection holds it. */
export function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy) return false;
    throw error;
  }
}
