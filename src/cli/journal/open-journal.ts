import { existsSync } from 'node:fs';
import { JournalReader } from '../../journal/queries/journal-reader.ts';
import { Failure } from '../fail.ts';
import { type Globals } from '../globals.ts';
import { journalFile } from '../../host/data-directory.ts';
import { shortPath } from '../../host/data-directory.ts';
import { openStore, configuredStore } from '../../host/store/open-store.ts';
import { withConfigurationOfServer } from '../server/connect.ts';

/** Refuses to make a journal where there is none; tells which store it is in. A database tells itself when it is not there. */
export async function assertJournal(globals: Globals): Promise<string> {
  const store = await configuredStore(globals);
  const file = journalFile(globals);
  if (store !== 'sqlite' || existsSync(file)) return store;
  throw new Failure(1, 'journal-missing', `no journal at ${shortPath(file)} yet`, {
    data: { file },
    next: 'run signalbox serve or signalbox call first, or name another data directory with --data',
  });
}

/** Hands the journal to `read`, and closes it. Starts no servers, and makes no journal where there is none. */
export async function withJournal(given: Globals, read: (journal: JournalReader) => Promise<void>): Promise<void> {
  const globals = withConfigurationOfServer(given);
  const { store } = await openStore(await assertJournal(globals), globals.data);
  try {
    await read(new JournalReader(store));
  } finally {
    await store.close();
  }
}
