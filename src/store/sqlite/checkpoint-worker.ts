/** The worker thread of `Checkpointer`, with its own connection. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const trailMs = 200;
const database = new DatabaseSync(workerData as string);
// A passive checkpoint never makes a writer or a reader wait.
const statement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
let trailing: NodeJS.Timeout | undefined;

function checkpoint(): void {
  try {
    statement.get();
  } catch {
    // A full or failing disk loses no data here; the next checkpoint tries again.
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
  // SQLite restarts the log only when all of it was moved, so try again after concurrent commits have ended.
  trailing = setTimeout(checkpoint, trailMs);
});
