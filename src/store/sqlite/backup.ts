import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, backup } from 'node:sqlite';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Copies the records of a SQLite file, also while others write to it: everything that was acknowledged before is in the copy. */
export async function backUpSqlite(file: string, to: string): Promise<void> {
  if (!existsSync(file)) throw new SignalboxError('store-unavailable', `there is no journal at ${file}`);
  if (existsSync(to)) throw new SignalboxError('file-unwritable', `${to} is there already: name another file`);
  // Brings what a process has acknowledged and not yet put into the table into it.
  await sqliteStore({ file }).close();
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    // For its owner alone, like the original; SQLite keeps the mode of a file that is there.
    closeSync(openSync(to, 'wx', 0o600));
  } catch (error) {
    database.close();
    throw unwritable(to, error);
  }
  try {
    // What is read stays as it is now: SQLite begins anew with every change that it sees, and under load would never end.
    database.exec('BEGIN; SELECT count(*) FROM tail');
    await backup(database, to);
  } catch (error) {
    // Half a copy would be taken for one.
    for (const half of [to, `${to}-journal`]) rmSync(half, { force: true });
    throw unwritable(to, error);
  } finally {
    database.close();
  }
}

function unwritable(to: string, error: unknown): SignalboxError {
  return new SignalboxError('file-unwritable', `cannot write the backup ${to}: ${messageOf(error)}`, { cause: error });
}
