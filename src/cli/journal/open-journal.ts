import { existsSync } from 'node:fs';
import { JournalReader } from '../../journal/reader.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { Failure } from '../fail.ts';
import { type Globals, journalFile, shortPath } from '../globals.ts';

/** Refuses to make a journal where there is none. */
export function assertJournal(globals: Globals): void {
  const file = journalFile(globals);
  if (existsSync(file)) return;
  throw new Failure(1, 'journal-missing', `no journal at ${shortPath(file)} yet`, {
    data: { file },
    next: 'run signalbox serve or signalbox call first, or name another data directory with --data',
  });
}

/** Hands the journal to `read`, and closes it. Starts no servers, and makes no journal where there is none. */
export async function withJournal(globals: Globals, read: (journal: JournalReader) => Promise<void>): Promise<void> {
  assertJournal(globals);
  const store = sqliteStore({ file: journalFile(globals) });
  try {
    await read(new JournalReader(store));
  } finally {
    await store.close();
  }
}
