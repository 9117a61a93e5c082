import { setTimeout as wait } from 'node:timers/promises';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { endedDraft } from '../../journal/recovery.ts';
import type { Store } from '../../journal/store/store.ts';
import type { Call } from '../call-lifecycle.ts';

const firstPauseMs = 250;
const longestPauseMs = 5000;
/** More than can be under way at once; what is beyond it is found when the next process starts. */
const mostCalls = 100_000;

/**
 * Calls of this process whose outcome could not be recorded. The store may hold their intent, by which they would seem to run for as
 * long as this process lives: when the store is there again, they get the outcome that their callers were told.
 */
export class UnsettledCalls {
  readonly #store: Store;
  readonly #journal: Journal;
  /** Whether each was run, so far as is known. */
  readonly #calls = new Map<string, boolean>();
  readonly #closing = new AbortController();
  #settling: Promise<void> | undefined;

  constructor(store: Store, journal: Journal) {
    this.#store = store;
    this.#journal = journal;
  }

  add({ id, isStarted }: Pick<Call, 'id' | 'isStarted'>): void {
    if (this.#calls.size < mostCalls) this.#calls.set(id, isStarted);
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
  }

  /** What is left then, the next process finds. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#settling;
  }

  async #settle(): Promise<void> {
    for (let pause = firstPauseMs; this.#calls.size > 0; pause = Math.min(pause * 2, longestPauseMs)) {
      await wait(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      if (this.#closing.signal.aborted) return;
      const known = [...this.#calls.keys()];
      try {
        const open = (await this.#store.openCalls()).filter(({ call }) => this.#calls.has(call));
        await Promise.all(open.map((intent) => this.#journal.append(this.#draftOf(intent), 'crash')));
        for (const call of known) this.#calls.delete(call);
      } catch {
        // Still away: the calls that fail by it say so.
      }
    }
  }

  #draftOf(intent: StoredEntry): EntryDraft {
    if (this.#calls.get(intent.call) === true) {
      const message = `${intent.tool} was run, but how it ended could not be recorded then; it may have taken effect`;
      return endedDraft(intent, 'unknown', { code: 'outcome-unrecorded', message });
    }
    const message = `${intent.tool} was not run, because its intent was not recorded in time`;
    return endedDraft(intent, 'failed', { code: 'journal-unavailable', message });
  }
}
