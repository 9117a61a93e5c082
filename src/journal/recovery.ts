import type { CallError } from '../core/calls/call-outcome.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import type { Journal } from './journal.ts';
import type { RecoveryOptions } from './store/recovery-options.ts';
import type { Store } from './store/store.ts';

const everyMs = 5000;

/** Gives every call that died with its process the outcome `unknown`: it may or may not have acted, and nobody guesses. */
export class Recovery {
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #endLost: ((looking: RecoveryOptions) => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What was taken over, until its outcome is written. */
  readonly #orphans = new Map<string, StoredEntry>();
  #isLooking = false;

  /** `endLost` records the calls that had not started when their process ended. */
  constructor(store: Store, journal: Journal, endLost?: (looking: RecoveryOptions) => Promise<void>) {
    this.#store = store;
    this.#journal = journal;
    this.#endLost = endLost;
  }

  /** Looks now and, with `isShared`, every few seconds: other processes may end while this one goes on. */
  async start(isShared = false): Promise<void> {
    await this.#look(false);
    if (isShared) this.#timer = setInterval(() => void this.#look(true).catch(() => undefined), everyMs).unref();
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
      await this.#endLost?.({ patient });
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
  return { ...ended, claim: lostClaim(intent.call) };
}

/** Several processes may find the same lost call: the claim lets one of them record its outcome. */
export function lostClaim(call: string): NonNullable<EntryDraft['claim']> {
  return { key: `lost ${call}`, fingerprint: '' };
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
