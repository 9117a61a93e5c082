/** The thread behind `StoreThread`, with a connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { JournalIndex } from './journal-index.ts';
import { JournalRows, type TableState } from './journal-rows.ts';
import type { Request, Report, StoreThreadData } from './store-thread.ts';
import { tailFile } from './tail-file.ts';
import { Turns } from './turns.ts';

const trailMs = 200;
// The main thread may have to wait for one transaction: some two milliseconds.
const mostBytes = 128 * 1024;
const mostEntries = 256;

const { file, tails, shared } = workerData as StoreThreadData;
const database = new DatabaseSync(file, { timeout: 5000 });
// Checkpoints have their own time, when nobody waits for a commit.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
// Passive: takes what it can without ever making a writer or a reader wait.
const checkpoints = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const rows = new JournalRows(database);
const index = new JournalIndex(database);
const turns = new Turns(shared);
let trailing: NodeJS.Timeout | undefined;

function checkpoint(): void {
  try {
    checkpoints.get();
  } catch {
    // No room, or a disk that fails: nothing is lost by it, and it is tried again after the next thousand pages.
  }
}

/** One transaction; tells whether there is more to do. */
function bringIn(): void {
  if (!database.isOpen) return;
  try {
    const { state, before, isBehind } = turns.after(transaction);
    report({ kind: 'brought-in', state, entries: state.seq - before, isAll: !isBehind });
    if (isBehind) setImmediate(bringIn);
  } catch {
    // Why it cannot, the main thread finds out, and tells those who wait for it.
    report({ kind: 'failed' });
  }
}

function transaction(): { state: TableState; before: number; isBehind: boolean } {
  try {
    begin.run();
    const before = rows.state();
    const state = before.holder === '' ? before : rows.bringInTail(tailFile(tails, before.holder), before, mostBytes);
    const indexed = turns.isWanted ? 0 : index.page(state.seq, mostEntries);
    commit.run();
    const isFull = state.done - before.done > mostBytes / 2;
    return { state, before: before.seq, isBehind: isFull || indexed < state.seq };
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function report(message: Report): void {
  parentPort?.postMessage(message, []);
}

parentPort?.on('message', (request: Request) => {
  if (request === 'bring-in') return bringIn();
  clearTimeout(trailing);
  if (request === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  checkpoint();
  report({ kind: 'checkpointed' });
  // The log begins anew only when all of it was moved: once more when the commits that ran meanwhile may have ended.
  trailing = setTimeout(checkpoint, trailMs);
});
