import type { JournalIndex } from './journal-index.ts';
import type { JournalTable } from './journal-table.ts';
import type { StoreThread } from './store-thread.ts';

const lagMs = 100;
// So many are brought in and indexed in about a millisecond.
const few = 128;
// So many are not left waiting until it is time.
const many = 1024;

/**
 * Brings the tail into the table, and the table into its index, soon after entries were appended and before they are looked for. A
 * few it does at once; more are for the thread, so that no call waits for them.
 */
export class Upkeep {
  readonly #journal: JournalTable;
  readonly #index: JournalIndex;
  readonly #thread: StoreThread | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: JournalTable, index: JournalIndex, thread: StoreThread | undefined) {
    this.#journal = journal;
    this.#index = index;
    this.#thread = thread;
  }

  /** Called after every append, so it must cost nothing. */
  appended(): void {
    if (this.#journal.waiting >= many && this.#thread?.isAble === true) this.#thread.bringIn();
    this.#schedule();
  }

  /** Resolves when everything that this process was acknowledged before is in the table. */
  async own(): Promise<void> {
    if (this.#journal.waiting > few) await this.#leave();
    this.#journal.flush();
  }

  /** The same for what was acknowledged to anybody. */
  async table(): Promise<void> {
    if (this.#journal.waiting > few) await this.#leave();
    this.#journal.catchUp();
  }

  /** The same for the index. */
  async index(): Promise<void> {
    if (this.#lag() > few) await this.#leave();
    this.#journal.catchUp();
    while (this.#lag() > 0) this.#page();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #due = (): void => {
    this.#timer = undefined;
    try {
      const lag = this.#lag();
      if (lag <= 0) return;
      if (lag > few && this.#thread?.isAble === true) this.#thread.bringIn();
      else {
        this.#page();
        this.#thread?.tryAgain();
      }
    } catch {
      // What cannot be written now is tried again later; why it cannot, the commits tell.
    }
    this.#schedule();
  };

  #schedule(): void {
    this.#timer ??= setTimeout(this.#due, lagMs).unref();
  }

  #leave(): Promise<void> | undefined {
    return this.#thread?.isAble === true ? this.#thread.broughtIn() : undefined;
  }

  #lag(): number {
    return this.#journal.head.seq - this.#index.anchor().seq;
  }

  #page(): void {
    this.#journal.transaction(() => this.#index.page(this.#journal.head.seq));
  }
}
