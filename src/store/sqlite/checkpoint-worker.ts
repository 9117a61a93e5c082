/** The thread behind `Checkpointer`, with a connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const trailMs = 200;
const database = new DatabaseSync(workerData as string);
// Passive: takes what it can without ever making a writer or a reader wait.
const statement = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
let trailing: NodeJS.Timeout | undefined;

parentPort?.on('message', (message: 'checkpoint' | 'stop') => {
  clearTimeout(trailing);
  if (message === 'stop') {
    database.close();
    parentPort?.close();
    return;
  }
  statement.get();
  parentPort?.postMessage('done', []);
  // The log begins anew only when all of it was moved: once more when the commits that ran meanwhile may have ended.
  trailing = setTimeout(() => statement.get(), trailMs);
});
