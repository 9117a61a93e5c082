/** The thread behind `Checkpointer`, with a connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const trailMs = 200;
const database = new DatabaseSync(workerData as string);
// Passive: takes what it can without ever making a writer or a reader wait.
const statement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
let trailing: NodeJS.Timeout | undefined;

function checkpoint(): void {
  try {
    statement.get();
  } catch {
    // No room, or a disk that fails: nothing is lost by it, and it is tried again after the next thousand pages.
  }
}

parentPort?.on('message', (message: 'checkpoint' | 'stop') => {
  clearTimeout(trailing);
  if (message === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  checkpoint();
  parentPort?.postMessage('done', []);
  // The log begins anew only when all of it was moved: once more when the commits that ran meanwhile may have ended.
  trailing = setTimeout(checkpoint, trailMs);
});
