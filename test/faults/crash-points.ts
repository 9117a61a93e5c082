import { Worker } from 'node:worker_threads';
import type { EntryDraft, EntryType } from '../../src/journal/entries/stored-entry.ts';
import type { Appended, Store } from '../../src/journal/store/store.ts';

/** The moment of the death, relative to the writing of an entry; `during` is a random moment while it is written. */
const moments = ['before', 'during', 'after'] as const;

/** The entries around which a process dies, with their names. */
const entries = {
  intent: ({ type, approval }: EntryDraft) => type === 'CallStarted' && approval === undefined,
  'use of an approval': ({ type, approval }: EntryDraft) => type === 'CallStarted' && approval !== undefined,
  question: isOf('ApprovalRequested'),
  answer: isOf('ApprovalResolved'),
  outcome: isOf('ToolInvoked'),
  'start of an undo': isOf('UndoStarted'),
  'end of an undo': isOf('Undone'),
} satisfies Record<string, (draft: EntryDraft) => boolean>;

/** Further points, which the program itself reaches. */
const steps = ['effect', 'checkpoint', 'restoring', 'own undo'] as const;
type Step = (typeof steps)[number];

/** Every named point at which a process dies, and `at random`, at which another process kills it. */
export const crashPoints: readonly string[] = [
  ...Object.keys(entries).flatMap((entry) => moments.map((moment) => `${moment} ${entry}`)),
  ...steps,
  'at random',
];

const killThread = `
  const { workerData } = require('node:worker_threads');
  Atomics.wait(workerData, 0, 0);
  // Busy waiting, because a sleep is too coarse for the target.
  for (const end = performance.now() + workerData[0] / 1000; performance.now() < end; );
  process.kill(process.pid, 'SIGKILL');`;

/** Ends this process with SIGKILL when it reaches a point for the `nth` time. */
export class Crash {
  readonly #moment: string;
  readonly #entry: ((draft: EntryDraft) => boolean) | undefined;
  readonly #point: string;
  readonly #random: () => number;
  readonly #clock: Int32Array | undefined;
  #remaining: number;

  constructor(point: string, nth: number, random: () => number) {
    const [moment = '', ...rest] = point.split(' ');
    this.#point = point;
    this.#moment = moment;
    this.#entry = (entries as Record<string, (draft: EntryDraft) => boolean>)[rest.join(' ')];
    this.#remaining = nth;
    this.#random = random;
    if (moment !== 'during' && point !== 'checkpoint' && point !== 'restoring') return;
    // A separate thread, because SQLite writes on the main thread.
    this.#clock = new Int32Array(new SharedArrayBuffer(4));
    new Worker(killThread, { eval: true, workerData: this.#clock }).unref();
  }

  /** Reports that the program has reached a step. The process dies at once, or at a random moment within this time. */
  at(step: Step, withinMs = 0): void {
    if (step === this.#point && this.#isDue()) this.#die(withinMs);
  }

  /** Wraps a store, so that the process dies around the writing of the entry. */
  in(store: Store): Store {
    const append = (drafts: readonly EntryDraft[]): Appended | Promise<Appended> => {
      const isDue = this.#entry !== undefined && drafts.some(this.#entry) && this.#isDue();
      if (isDue && this.#moment !== 'after') this.#die(this.#moment === 'during' ? 2 : 0);
      const written = store.append(drafts);
      if (!isDue || this.#moment !== 'after') return written;
      if (!(written instanceof Promise)) this.#die(0);
      return Promise.resolve(written).then((acknowledged) => {
        this.#die(0);
        return acknowledged;
      });
    };
    return new Proxy(store, {
      get(target, key) {
        if (key === 'append') return append;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #isDue(): boolean {
    this.#remaining -= 1;
    return this.#remaining === 0;
  }

  #die(withinMs: number): void {
    if (withinMs === 0 || this.#clock === undefined) process.kill(process.pid, 'SIGKILL');
    else {
      this.#clock[0] = 1 + Math.floor(this.#random() * withinMs * 1000);
      Atomics.notify(this.#clock, 0);
    }
  }
}

function isOf(type: EntryType): (draft: EntryDraft) => boolean {
  return (draft) => draft.type === type;
}
