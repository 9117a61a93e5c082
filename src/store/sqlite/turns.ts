const working = 0;
const wanted = 1;
/** Long enough for any transaction; what lasts longer is for SQLite to tell of. */
const patienceMs = 1000;

/**
 * Who may write next: the main thread, whenever it wants to, or the thread beside it. SQLite's own lock keeps them apart; it lets
 * whoever waits sleep for whole milliseconds and does not know who is in a hurry.
 */
export class Turns {
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** Whether the main thread waits. */
  get isWanted(): boolean {
    return Atomics.load(this.#flags, wanted) === 1;
  }

  /** For the main thread: waits for one transaction of the other at most. */
  first<Result>(work: () => Result): Result {
    Atomics.store(this.#flags, wanted, 1);
    Atomics.wait(this.#flags, working, 1, patienceMs);
    try {
      return work();
    } finally {
      this.#end(wanted);
    }
  }

  /** For the other thread: works when the main thread does not want to. */
  after<Result>(work: () => Result): Result {
    for (;;) {
      Atomics.wait(this.#flags, wanted, 1, patienceMs);
      Atomics.store(this.#flags, working, 1);
      // Whoever says first what it wants and looks then is seen by the other.
      if (!this.isWanted) break;
      this.#end(working);
    }
    try {
      return work();
    } finally {
      this.#end(working);
    }
  }

  #end(flag: number): void {
    Atomics.store(this.#flags, flag, 0);
    Atomics.notify(this.#flags, flag);
  }
}
