import { setTimeout as wait } from 'node:timers/promises';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { endedDraft } from '../../journal/recovery.ts';
import type { Store } from '../../journal/store/store.ts';

const firstPauseMs = 250;
const maxPauseMs = 5000;
/** More than can run concurrently. Any others are settled when the next process starts. */
const maxCalls = 100_000;

/**
 * Calls of this process whose outcome could not be recorded. With only an intent, they would appear to run as long as this process lives.
 * When the store is available again, the outcome that their callers received is recorded.
 */
export class UnsettledCalls {
  readonly #store: Store;
  readonly #journal: Journal;
  /** Whether the tool of each call may have run. */
  readonly #calls = new Map<string, boolean>();
  readonly #closing = new AbortController();
  #settling: Promise<void> | undefined;

  constructor(store: Store, journal: Journal) {
    this.#store = store;
    this.#journal = journal;
  }

  add(id: string, isStarted: boolean): void {
    if (this.#calls.size < maxCalls) this.#calls.set(id, isStarted);
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
  }

  /** Stops. The next process settles the rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#settling;
  }

  async #settle(): Promise<void> {
    for (let pause = firstPauseMs; this.#calls.size > 0; pause = Math.min(pause * 2, maxPauseMs)) {
      await wait(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      if (this.#closing.signal.aborted) return;
      const known = [...this.#calls.keys()];
      try {
        const open = (await this.#store.openCalls()).filter(({ call }) => this.#calls.has(call));
        await Promise.all(open.map((intent) => this.#journal.append(this.#draftOf(intent), 'crash')));
        for (const call of known) this.#calls.delete(call);
      } catch {
        // The store is still unavailable; the calls that fail because of it report that.
      }
    }
  }

  #draftOf(intent: StoredEntry): EntryDraft {
    if (this.#calls.get(intent.call) === true) {
      const message = `${intent.tool} was run, but its outcome could not be recorded; it may have taken effect`;
      return endedDraft(intent, 'unknown', { code: 'outcome-unrecorded', message });
    }
    const message = `${intent.tool} was not run, because its intent was not recorded in time`;
    return endedDraft(intent, 'failed', { code: 'journal-unavailable', message });
  }
}
