import { GrowthAnnouncer } from './journal-growth.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import type { Appended, Store } from './store/store.ts';

/** The durability that an append waits for: entries survive the end of the process, or a power loss. */
export type Durability = 'crash' | 'power-loss';

/** An entry that waits for the next commit. */
export interface PendingEntry {
  /** Removes the entry from the queue. Returns false when it is already written. */
  withdraw(): boolean;
}

/** The maximum time without a turn of the event loop, in milliseconds. */
const maxTurnMs = 10;
/** The time that `noteSoon` waits for another commit to join. */
const maxNoteDelayMs = 10;

/** An entry in the queue, with the callbacks of its writer. */
class QueuedEntry implements PendingEntry {
  state: 'queued' | 'withdrawn' | 'written' = 'queued';
  readonly #draft: EntryDraft | (() => EntryDraft);
  readonly survives: Durability;
  readonly resolve: ((entry: StoredEntry | undefined) => void) | undefined;
  readonly reject: ((error: unknown) => void) | undefined;
  /** Called when the entry is written, before it survives a power loss. */
  followed: (() => void) | undefined;

  constructor(
    draft: EntryDraft | (() => EntryDraft),
    survives: Durability,
    resolve?: QueuedEntry['resolve'],
    reject?: QueuedEntry['reject'],
  ) {
    this.#draft = draft;
    this.survives = survives;
    this.resolve = resolve;
    this.reject = reject;
  }

  draft(): EntryDraft {
    return typeof this.#draft === 'function' ? this.#draft() : this.#draft;
  }

  withdraw(): boolean {
    if (this.state === 'queued') this.state = 'withdrawn';
    return this.state === 'withdrawn';
  }
}

/**
 * Writes to the store with group commit: all entries that become ready while other work runs share the next commit, so that concurrent
 * calls share its cost.
 */
export class Journal {
  readonly #store: Store;
  readonly #listeners = new Set<(entry: StoredEntry) => void>();
  readonly #announcer: GrowthAnnouncer;
  #queue: QueuedEntry[] = [];
  #delayed: QueuedEntry[] = [];
  /** Entries that are written but not flushed. */
  #unflushed: { readonly item: QueuedEntry; readonly entry: StoredEntry | undefined }[] = [];
  #syncing: NodeJS.Immediate | undefined;
  #delayTimer: NodeJS.Timeout | undefined;
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #lastTurn = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#announcer = new GrowthAnnouncer(store.pubSub);
  }

  /** Writes an entry and resolves when it is durable; with `undefined` when the store rejected it, for example because its idempotency key is taken. */
  append(draft: EntryDraft, survives: Durability): Promise<StoredEntry | undefined> {
    return new Promise((resolve, reject) => this.#enqueue(new QueuedEntry(draft, survives, resolve, reject)));
  }

  /** Like `append`, with callbacks instead of a promise. They must not throw, because other entries' callbacks run after them. */
  appendFor(
    draft: EntryDraft,
    written: (entry: StoredEntry | undefined) => void,
    failed: (error: unknown) => void,
  ): void {
    this.#enqueue(new QueuedEntry(draft, 'crash', written, failed));
  }

  /**
   * Like `append` with `power-loss`. Calls `followed` when the entry is written and not flushed yet, so that entries that follow from it
   * share its flush: no entry is durable before those that precede it.
   */
  appendFollowed(draft: EntryDraft, followed: () => void): Promise<StoredEntry | undefined> {
    return new Promise((resolve, reject) => {
      const item = new QueuedEntry(draft, 'power-loss', resolve, reject);
      item.followed = followed;
      this.#enqueue(item);
    });
  }

  /** Writes an entry with the next commit, without waiting for it. */
  note(make: () => EntryDraft): void {
    this.#enqueue(new QueuedEntry(make, 'crash'));
  }

  /** Writes an entry within some milliseconds, unless it is withdrawn. Calls `make` only when it is written. */
  noteSoon(make: () => EntryDraft): PendingEntry {
    const item = new QueuedEntry(make, 'crash');
    this.#delayed.push(item);
    this.#delayTimer ??= setTimeout(this.#commitDelayed, maxNoteDelayMs).unref();
    return item;
  }

  /** Calls the listener with every entry after it is written, in order. Returns a function that unsubscribes. */
  subscribe(listener: (entry: StoredEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener when this or another process of the store has written entries. Returns a function that unsubscribes. */
  onGrowth(listener: () => void): () => void {
    const stops = [this.subscribe(listener), this.#announcer.onOthers(listener)];
    return () => stops.forEach((stop) => stop());
  }

  /** Resolves when all entries are written and announced. */
  async drain(): Promise<void> {
    this.#commitDelayed();
    while (this.#queue.length > 0 || this.#writing !== undefined) {
      await (this.#writing ?? new Promise<void>((resolve) => setImmediate(resolve)));
    }
    this.#sync();
    await this.#announcer.close();
  }

  #enqueue(item: QueuedEntry): void {
    this.#queue.push(item);
    this.#schedule();
  }

  readonly #commitDelayed = (): void => {
    clearTimeout(this.#delayTimer);
    this.#delayTimer = undefined;
    const waiting = this.#delayed.filter((item) => item.state === 'queued');
    this.#delayed = [];
    if (waiting.length === 0) return;
    this.#queue.push(...waiting);
    this.#schedule();
  };

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    // Calls that never wait for anything else would starve timers and sockets, so yield to the event loop periodically.
    const now = performance.now();
    if (now - this.#lastTurn < maxTurnMs) {
      // Runs after all promises that are ready now, so that all calls at this point share one commit.
      process.nextTick(this.#flush);
    } else {
      this.#lastTurn = now;
      setImmediate(this.#flush);
    }
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    const batch: QueuedEntry[] = [];
    const drafts: EntryDraft[] = [];
    for (const item of this.#queue) {
      if (item.state !== 'queued') continue;
      item.state = 'written';
      try {
        drafts.push(item.draft());
        batch.push(item);
      } catch (error) {
        item.reject?.(error);
      }
    }
    this.#queue = [];
    if (batch.length === 0) return;
    let appended: Appended | Promise<Appended>;
    try {
      appended = this.#store.append(drafts);
    } catch (error) {
      rejectAll(batch, error);
      return;
    }
    if (appended instanceof Promise) this.#writing = this.#wait(batch, appended);
    else this.#acknowledge(batch, appended);
  };

  async #wait(batch: readonly QueuedEntry[], appending: Promise<Appended>): Promise<void> {
    await appending.then(
      (entries) => this.#acknowledge(batch, entries),
      (error: unknown) => rejectAll(batch, error),
    );
    this.#writing = undefined;
    if (this.#queue.length > 0) this.#schedule();
  }

  #acknowledge(batch: readonly QueuedEntry[], entries: Appended): void {
    let isUrgent = false;
    this.#announcer.announce();
    batch.forEach((item, index) => {
      const entry = entries[index];
      if (entry !== undefined) for (const listener of this.#listeners) listener(entry);
      if (item.survives === 'crash') return item.resolve?.(entry);
      this.#unflushed.push({ item, entry });
      if (entry === undefined || item.followed === undefined) isUrgent = true;
      else item.followed();
    });
    if (isUrgent) this.#sync();
    // Within two turns, the followers have appended their entries, even when their commit yields to the event loop first.
    else if (this.#unflushed.length > 0)
      this.#syncing ??= setImmediate(() => (this.#syncing = setImmediate(this.#sync)));
  }

  /** Flushes to disk. Commits continue meanwhile. */
  readonly #sync = (): void => {
    clearImmediate(this.#syncing);
    this.#syncing = undefined;
    const flushed = this.#unflushed;
    if (flushed.length === 0) return;
    this.#unflushed = [];
    this.#store.sync().then(
      () => flushed.forEach(({ item, entry }) => item.resolve?.(entry)),
      (error: unknown) => flushed.forEach(({ item }) => item.reject?.(error)),
    );
  };
}

function rejectAll(batch: readonly QueuedEntry[], error: unknown): void {
  for (const item of batch) item.reject?.(error);
}
