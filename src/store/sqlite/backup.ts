import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, backup } from 'node:sqlite';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Backs up a SQLite store, also while other processes write to it. The backup contains everything acknowledged before the call. */
export async function backUpSqlite(file: string, to: string): Promise<void> {
  if (!existsSync(file)) throw new SignalboxError('store-unavailable', `there is no journal at ${file}`);
  if (existsSync(to)) throw new SignalboxError('file-unwritable', `${to} already exists: choose another file`);
  // Opening the store moves acknowledged entries from a tail file into the table.
  await sqliteStore({ file }).close();
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    // Readable by its owner only, like the original. SQLite keeps the mode of an existing file.
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    database.close();
    throw unwritable(to, error);
  }
  try {
    // A read transaction pins the snapshot. Without it, SQLite restarts the backup with every change and never ends under load.
    database.exec('BEGIN; SELECT count(*) FROM tail');
    await backup(database, to);
  } catch (error) {
    // A partial backup could be mistaken for a complete one.
    for (const half of [to, `${to}-journal`]) rmSync(half, { force: true });
    throw unwritable(to, error);
  } finally {
    database.close();
  }
}

function unwritable(to: string, error: unknown): SignalboxError {
  return new SignalboxError('file-unwritable', `cannot write the backup ${to}: ${messageOf(error)}`, { cause: error });
}
