import type { CallError } from '../model/call.ts';
import type { EntryDraft, StoredEntry } from './entry.ts';
import type { Journal } from './journal.ts';
import type { Store } from './store.ts';

const everyMs = 5000;

/** Gives every call that died with its process the outcome `unknown`: it may or may not have acted, and nobody guesses. */
export class Recovery {
  readonly #store: Store;
  readonly #journal: Journal;
  #timer: NodeJS.Timeout | undefined;
  /** What was taken over, until its outcome is written. */
  readonly #orphans = new Map<string, StoredEntry>();
  #isLooking = false;

  constructor(store: Store, journal: Journal) {
    this.#store = store;
    this.#journal = journal;
  }

  /** Looks now and, where processes of other machines may end while this one goes on, from then on now and then. */
  async start(): Promise<void> {
    await this.#look(false);
    if (this.#store.post.reachesOthers)
      this.#timer = setInterval(() => void this.#look(true).catch(() => undefined), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(patient: boolean): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const intent of await this.#store.orphans({ patient })) this.#orphans.set(intent.call, intent);
      await Promise.all(Array.from(this.#orphans.values(), (intent) => this.#record(intent)));
    } finally {
      this.#isLooking = false;
    }
  }

  async #record(intent: StoredEntry): Promise<void> {
    await this.#journal.append(lostDraft(intent), 'crash');
    this.#orphans.delete(intent.call);
  }
}

function lostDraft(intent: StoredEntry): EntryDraft {
  const message = `the process ended after ${intent.tool} was started and before its outcome was recorded; it may have taken effect`;
  const ended = endedDraft(intent, 'unknown', { code: 'outcome-lost', message });
  // Several processes that start at once may have found it: one of them tells.
  return { ...ended, claim: { key: `lost ${intent.call}`, fingerprint: '' } };
}

/** The outcome of a call of which only the intent is there. */
export function endedDraft(intent: StoredEntry, outcome: 'unknown' | 'failed', error: CallError): EntryDraft {
  const facts = JSON.parse(intent.body) as object;
  const body = JSON.stringify({ ...facts, durationMs: null, output: '', error });
  return {
    type: 'ToolInvoked',
    at: Date.now(),
    call: intent.call,
    session: intent.session,
    tool: intent.tool,
    outcome,
    body,
  };
}
