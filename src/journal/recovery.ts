import type { CallError } from '../core/calls/call-outcome.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import type { Journal } from './journal.ts';
import type { RecoveryOptions } from './store/session-store.ts';
import type { Store } from './store/store.ts';

const intervalMs = 5000;

/** Records the outcome `unknown` for every call whose process ended before its outcome was recorded, because the tool may have acted. */
export class Recovery {
  readonly #store: Store;
  readonly #journal: Journal;
  readonly #endLost: ((options: RecoveryOptions) => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The intents that this process took over, until their outcomes are written. */
  readonly #orphans = new Map<string, StoredEntry>();
  #isRunning = false;

  /** `endLost` records the outcomes of calls that had not started when their process ended. */
  constructor(store: Store, journal: Journal, endLost?: (options: RecoveryOptions) => Promise<void>) {
    this.#store = store;
    this.#journal = journal;
    this.#endLost = endLost;
  }

  /** Recovers calls now and, with `isShared`, every few seconds, because other processes may end at any time. */
  async start(isShared = false): Promise<void> {
    await this.#recover(false);
    if (isShared) this.#timer = setInterval(() => void this.#recover(true).catch(() => undefined), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #recover(patient: boolean): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const intent of await this.#store.orphans({ patient })) this.#orphans.set(intent.call, intent);
      await Promise.all(Array.from(this.#orphans.values(), (intent) => this.#record(intent)));
      await this.#endLost?.({ patient });
    } finally {
      this.#isRunning = false;
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
  return { ...ended, claim: abandonedClaimOutcome(intent.call) };
}

/** Returns the claim by which only one of several processes records the outcome of a lost call. */
export function abandonedClaimOutcome(call: string): NonNullable<EntryDraft['claim']> {
  return { key: `lost ${call}`, fingerprint: '' };
}

/** Returns the outcome entry for a call that has only an intent. */
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
