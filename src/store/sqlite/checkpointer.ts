import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from '../../core/compile-cache.ts';

/** The log may grow to this many pages (32 MB) before a commit has to move it into the database itself. */
export const maxLogPages = 8000;
const checkpointPages = 1000;
const entriesPerPage = 4;

const program = import.meta.url.endsWith('.ts')
  ? new URL('./checkpoint-worker.ts', import.meta.url)
  : new URL('./checkpoint-worker.js', import.meta.url);

/**
 * Checkpoints the write-ahead log in a worker thread. A checkpoint waits for the disk twice; in a commit, it would block the
 * event loop for as long. The thread starts with the first checkpoint. If it fails or falls behind, commits checkpoint the log
 * themselves, at `maxLogPages`.
 */
export class Checkpointer {
  readonly #file: string;
  #thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined;
  #pages = 0;
  #isBusy = false;
  #isOver = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Counts a commit and starts a checkpoint when due. Called after every commit, so it must be cheap. */
  committed(entries: number): void {
    this.#pages += 1 + Math.floor(entries / entriesPerPage);
    if (this.#pages < checkpointPages || this.#isBusy || this.#isOver) return;
    this.#pages = 0;
    this.#isBusy = true;
    try {
      this.#thread ??= this.#start();
      this.#thread.worker.postMessage('checkpoint', []);
    } catch {
      // Without a thread, commits checkpoint the log.
      this.#isOver = true;
    }
  }

  /** Waits for a checkpoint in progress and stops the thread. */
  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#thread === undefined) return;
    this.#thread.worker.ref();
    this.#thread.worker.postMessage('stop', []);
    await this.#thread.ended;
  }

  #start(): { worker: Worker; ended: Promise<void> } {
    const worker = new Worker(program, {
      name: 'checkpoints',
      workerData: this.#file,
      env: compileCacheEnv(),
      execArgv: [],
    });
    worker.unref();
    worker.on('message', () => (this.#isBusy = false));
    worker.on('error', () => (this.#isOver = true));
    return { worker, ended: new Promise((resolve) => worker.once('exit', () => resolve())) };
  }
}
