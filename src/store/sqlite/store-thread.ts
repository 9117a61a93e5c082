import { Worker } from 'node:worker_threads';
import { messageOf } from '../../model/errors.ts';
import type { TableState } from './journal-rows.ts';
import { Turns } from './turns.ts';

/** The log may grow to this many pages (32 MB) before a commit has to move it into the database itself. */
export const longestLog = 8000;
const pagesBetween = 1000;
const entriesOnAPage = 4;
// It holds one stretch of a tail at a time.
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

const program = import.meta.url.endsWith('.ts')
  ? new URL('./store-worker.ts', import.meta.url)
  : new URL('./store-worker.js', import.meta.url);

/** What the thread is asked for. */
export type Request = 'bring-in' | 'checkpoint' | 'stop';

/** What the thread tells. */
export type Report =
  | { readonly kind: 'brought-in'; readonly state: TableState; readonly entries: number; readonly isAll: boolean }
  | { readonly kind: 'failed' }
  | { readonly kind: 'checkpointed' };

/** What the thread works with. */
export interface StoreThreadData {
  readonly file: string;
  readonly tails: string;
  readonly shared: SharedArrayBuffer;
}

/**
 * A thread beside the main thread, for what a call need not wait for: it brings the tail into the table and the index, and moves
 * the write-ahead log into the database, which waits for the disk twice. It starts when there is enough to do. Where it fails or
 * falls behind, the main thread does the same: the log at `longestLog`, the tail before too many entries wait in it.
 */
export class StoreThread {
  readonly #where: { readonly file: string; readonly tails: string };
  readonly #turns = new Turns();
  readonly #onBroughtIn: (state: TableState) => void;
  #running: { readonly worker: Worker; readonly ended: Promise<void> } | undefined;
  #bringingIn: PromiseWithResolvers<void> | undefined;
  #pages = 0;
  #isCheckpointing = false;
  #hasFailed = false;
  #isOver = false;

  constructor(where: { file: string; tails: string }, onBroughtIn: (state: TableState) => void) {
    this.#where = where;
    this.#onBroughtIn = onBroughtIn;
  }

  /** Whether it can be left to bring the tail in. */
  get isAble(): boolean {
    return !this.#isOver && !this.#hasFailed;
  }

  /** Runs a transaction of the main thread before the next one of this thread. */
  first<Result>(work: () => Result): Result {
    return this.#running === undefined ? work() : this.#turns.first(work);
  }

  /** Called after every commit, so it must cost nothing. */
  committed(entries: number): void {
    this.#pages += 1 + Math.floor(entries / entriesOnAPage);
    if (this.#pages < pagesBetween || this.#isCheckpointing) return;
    this.#pages = 0;
    this.#isCheckpointing = this.#ask('checkpoint');
  }

  /** Brings in and indexes what is in the tail. */
  bringIn(): void {
    if (this.#bringingIn === undefined && this.#ask('bring-in')) this.#bringingIn = Promise.withResolvers();
  }

  /** The same for whoever waits for it: resolves when it is done, or cannot be. The process does not end before. */
  async broughtIn(): Promise<void> {
    this.bringIn();
    this.#running?.worker.ref();
    await this.#bringingIn?.promise;
  }

  /** The main thread could do what this one could not: it may try again. */
  tryAgain(): void {
    this.#hasFailed = false;
  }

  /** Lets what is under way end. */
  async close(): Promise<void> {
    const running = this.#running;
    this.#isOver = true;
    if (running === undefined) return;
    running.worker.ref();
    running.worker.postMessage('stop', []);
    await running.ended;
  }

  #ask(request: Request): boolean {
    if (this.#isOver) return false;
    try {
      this.#running ??= this.#start();
      this.#running.worker.postMessage(request, []);
      return true;
    } catch (error) {
      this.#lost(messageOf(error));
      return false;
    }
  }

  #start(): { worker: Worker; ended: Promise<void> } {
    const workerData: StoreThreadData = { ...this.#where, shared: this.#turns.shared };
    const worker = new Worker(program, { name: 'store', workerData, env: {}, execArgv: [], resourceLimits });
    worker.unref();
    worker.on('message', (report: Report) => this.#told(report));
    worker.on('error', (error) => this.#lost(messageOf(error)));
    const ended = new Promise<void>((resolve) =>
      worker.once('exit', () => {
        this.#lost('it was stopped');
        resolve();
      }),
    );
    return { worker, ended };
  }

  #told(report: Report): void {
    switch (report.kind) {
      case 'checkpointed':
        this.#isCheckpointing = false;
        return;
      case 'failed':
        this.#hasFailed = true;
        this.#endBringingIn();
        return;
      case 'brought-in':
        if (report.entries > 0) this.committed(report.entries);
        this.#onBroughtIn(report.state);
        if (report.isAll) this.#endBringingIn();
    }
  }

  #endBringingIn(): void {
    this.#bringingIn?.resolve();
    this.#bringingIn = undefined;
    if (!this.#isOver) this.#running?.worker.unref();
  }

  #lost(why: string): void {
    this.#running = undefined;
    this.#endBringingIn();
    if (this.#isOver) return;
    this.#isOver = true;
    const message = `the thread that looks after the journal has ended (${why}): calls do its work, and wait for it now and then`;
    process.emitWarning(message, { type: 'SignalboxWarning', detail: 'start Signalbox anew to have the thread back' });
  }
}
