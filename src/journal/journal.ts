import { GrowthAnnouncer } from './growth-announcer.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import type { Appended, Store } from './store/store.ts';

/** What must be survived before an append resolves: the death of the process, or the loss of power. */
export type Survives = 'crash' | 'power-loss';

/** An entry that waits for the next commit. */
export interface Waiting {
  /** Takes it back; has no effect once it is written. True when it was still there. */
  withdraw(): boolean;
}

const longestBreath = 10;
const patience = 10;

class Item implements Waiting {
  state: 'queued' | 'withdrawn' | 'written' = 'queued';
  readonly #draft: EntryDraft | (() => EntryDraft);
  readonly survives: Survives;
  readonly resolve: ((entry: StoredEntry | undefined) => void) | undefined;
  readonly reject: ((error: unknown) => void) | undefined;
  /** Told as soon as it is written, before it survives a loss of power. */
  followed: (() => void) | undefined;

  constructor(
    draft: EntryDraft | (() => EntryDraft),
    survives: Survives,
    resolve?: Item['resolve'],
    reject?: Item['reject'],
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
 * Writes to the store by group commit: everything that becomes ready while other work runs shares the next commit, so that
 * a commit's cost is divided among the calls under way.
 */
export class Journal {
  readonly #store: Store;
  readonly #listeners = new Set<(entry: StoredEntry) => void>();
  readonly #announcer: GrowthAnnouncer;
  #queue: Item[] = [];
  #patient: Item[] = [];
  /** What is written and does not survive a loss of power yet. */
  #unflushed: { readonly item: Item; readonly entry: StoredEntry | undefined }[] = [];
  #syncing: NodeJS.Immediate | undefined;
  #impatience: NodeJS.Timeout | undefined;
  #scheduled = false;
  #writing: Promise<void> | undefined;
  #breathed = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#announcer = new GrowthAnnouncer(store.pubSub);
  }

  /** Writes an entry; resolves when it survives what it must. `undefined`: its idempotency key was taken. */
  append(draft: EntryDraft, survives: Survives): Promise<StoredEntry | undefined> {
    return new Promise((resolve, reject) => this.#enqueue(new Item(draft, survives, resolve, reject)));
  }

  /** Like `append`, for whoever waits with a promise of their own. Neither function may throw: others are told after it. */
  appendFor(
    draft: EntryDraft,
    written: (entry: StoredEntry | undefined) => void,
    failed: (error: unknown) => void,
  ): void {
    this.#enqueue(new Item(draft, 'crash', written, failed));
  }

  /**
   * Like `append` for a loss of power. Whoever goes on by this entry is told when it is written, so that what they write
   * shares its flush: an entry never outlives those before it.
   */
  appendFollowed(draft: EntryDraft, followed: () => void): Promise<StoredEntry | undefined> {
    return new Promise((resolve, reject) => {
      const item = new Item(draft, 'power-loss', resolve, reject);
      item.followed = followed;
      this.#enqueue(item);
    });
  }

  /** Writes an entry with the next commit. Nobody waits for it. */
  note(make: () => EntryDraft): void {
    this.#enqueue(new Item(make, 'crash'));
  }

  /** Writes an entry within some milliseconds, unless it is withdrawn before; made only when it is written. */
  noteSoon(make: () => EntryDraft): Waiting {
    const item = new Item(make, 'crash');
    this.#patient.push(item);
    this.#impatience ??= setTimeout(this.#hurry, patience).unref();
    return item;
  }

  /** Tells of every entry after it is written, in order. */
  subscribe(listener: (entry: StoredEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells that entries were written, here or by another process of the store. */
  onGrowth(listener: () => void): () => void {
    const stops = [this.subscribe(listener), this.#announcer.onOthers(listener)];
    return () => stops.forEach((stop) => stop());
  }

  /** Resolves when nothing waits to be written or told any more. */
  async drain(): Promise<void> {
    this.#hurry();
    while (this.#queue.length > 0 || this.#writing !== undefined) {
      await (this.#writing ?? new Promise<void>((resolve) => setImmediate(resolve)));
    }
    this.#sync();
    await this.#announcer.close();
  }

  #enqueue(item: Item): void {
    this.#queue.push(item);
    this.#schedule();
  }

  readonly #hurry = (): void => {
    clearTimeout(this.#impatience);
    this.#impatience = undefined;
    const waiting = this.#patient.filter((item) => item.state === 'queued');
    this.#patient = [];
    if (waiting.length === 0) return;
    this.#queue.push(...waiting);
    this.#schedule();
  };

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    // A chain of calls that never wait for anything else would keep timers and sockets waiting: let them in now and then.
    const now = performance.now();
    if (now - this.#breathed < longestBreath) {
      // Runs when every promise that is ready now has been worked off: all calls that got this far share one commit.
      process.nextTick(this.#flush);
    } else {
      this.#breathed = now;
      setImmediate(this.#flush);
    }
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    const batch: Item[] = [];
    for (const item of this.#queue) {
      if (item.state !== 'queued') continue;
      item.state = 'written';
      batch.push(item);
    }
    this.#queue = [];
    if (batch.length === 0) return;
    let appended: Appended | Promise<Appended>;
    try {
      const drafts: EntryDraft[] = [];
      for (const item of batch) drafts.push(item.draft());
      appended = this.#store.append(drafts);
    } catch (error) {
      refuse(batch, error);
      return;
    }
    if (appended instanceof Promise) this.#writing = this.#wait(batch, appended);
    else this.#acknowledge(batch, appended);
  };

  async #wait(batch: readonly Item[], appending: Promise<Appended>): Promise<void> {
    await appending.then(
      (entries) => this.#acknowledge(batch, entries),
      (error: unknown) => refuse(batch, error),
    );
    this.#writing = undefined;
    if (this.#queue.length > 0) this.#schedule();
  }

  #acknowledge(batch: readonly Item[], entries: Appended): void {
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
    // Before the second turn whoever was told has got as far as a commit, also where that lets others in first.
    else if (this.#unflushed.length > 0)
      this.#syncing ??= setImmediate(() => (this.#syncing = setImmediate(this.#sync)));
  }

  /** Does not hold up the next commit: commits go on while the disk works. */
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

function refuse(batch: readonly Item[], error: unknown): void {
  for (const item of batch) item.reject?.(error);
}
