import { Worker } from 'node:worker_threads';
import type { EntryDraft, EntryType } from '../../src/journal/entries/stored-entry.ts';
import type { Appended, Store } from '../../src/journal/store/store.ts';

/** Where around the writing of an entry a process dies; `during` is some moment while it is written. */
const moments = ['before', 'during', 'after'] as const;

/** The entries around which a process dies, and what that is called. */
const entries = {
  intent: ({ type, approval }: EntryDraft) => type === 'CallStarted' && approval === undefined,
  'use of an approval': ({ type, approval }: EntryDraft) => type === 'CallStarted' && approval !== undefined,
  question: isOf('ApprovalRequested'),
  answer: isOf('ApprovalResolved'),
  outcome: isOf('ToolInvoked'),
  'beginning of an undo': isOf('UndoStarted'),
  'end of an undo': isOf('Undone'),
} satisfies Record<string, (draft: EntryDraft) => boolean>;

/** Besides: places that the program itself comes by. */
const places = ['effect', 'checkpoint', 'restoring', 'own undo'] as const;
type Place = (typeof places)[number];

/** Every named point at which a process dies, and `at random`, where somebody else kills it. */
export const crashPoints: readonly string[] = [
  ...Object.keys(entries).flatMap((entry) => moments.map((moment) => `${moment} ${entry}`)),
  ...places,
  'at random',
];

const dying = `
  const { workerData } = require('node:worker_threads');
  Atomics.wait(workerData, 0, 0);
  // Busy, because a sleep is coarser than what is to be hit.
  for (const end = performance.now() + workerData[0] / 1000; performance.now() < end; );
  process.kill(process.pid, 'SIGKILL');`;

/** Ends this process with SIGKILL when it comes by a point for the `nth` time. */
export class Crash {
  readonly #moment: string;
  readonly #entry: ((draft: EntryDraft) => boolean) | undefined;
  readonly #point: string;
  readonly #random: () => number;
  readonly #clock: Int32Array | undefined;
  #left: number;

  constructor(point: string, nth: number, random: () => number) {
    const [moment = '', ...rest] = point.split(' ');
    this.#point = point;
    this.#moment = moment;
    this.#entry = (entries as Record<string, (draft: EntryDraft) => boolean>)[rest.join(' ')];
    this.#left = nth;
    this.#random = random;
    if (moment !== 'during' && point !== 'checkpoint' && point !== 'restoring') return;
    // A thread of its own: SQLite writes on the main one.
    this.#clock = new Int32Array(new SharedArrayBuffer(4));
    new Worker(dying, { eval: true, workerData: this.#clock }).unref();
  }

  /** The program came by a place; what is in the middle of something dies a little later. */
  at(place: Place, withinMs = 0): void {
    if (place === this.#point && this.#isIt()) this.#die(withinMs);
  }

  /** The store as it is, up to the point. */
  in(store: Store): Store {
    const append = (drafts: readonly EntryDraft[]): Appended | Promise<Appended> => {
      const isIt = this.#entry !== undefined && drafts.some(this.#entry) && this.#isIt();
      if (isIt && this.#moment !== 'after') this.#die(this.#moment === 'during' ? 2 : 0);
      const written = store.append(drafts);
      if (!isIt || this.#moment !== 'after') return written;
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

  #isIt(): boolean {
    this.#left -= 1;
    return this.#left === 0;
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
