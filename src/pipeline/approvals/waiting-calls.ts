import { emitSafely } from '../../core/async/emit-safely.ts';
import type { ApprovalQuestion } from '../../core/calls/approval.ts';
import type { CallError } from '../../core/calls/call-outcome.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RecoveryOptions } from '../../journal/store/session-store.ts';
import { abandonedClaimOutcome } from '../../journal/recovery.ts';
import type { Store } from '../../journal/store/store.ts';
import { parseQuestion } from './approval-view.ts';

const kind = 'waiting-call';
const changedTopic = 'waiting-calls';
/** The poll interval. The end of a process is never reported, and SQLite does not report changes of other processes. */
const pollMs = 1000;

/** A call that waits for an approval. */
export interface WaitingCall {
  readonly approval: string;
  readonly call: string;
}

/** Called with the approvals that a call began to wait for, and with those that no call waits for any longer. */
export type WaitingListener = (changes: {
  readonly waiting: readonly string[];
  readonly gone: readonly string[];
}) => void;

interface StoredCall extends WaitingCall {
  readonly writer: string;
}

/** The calls that wait for approvals, in all processes of the store. Calls of a process that has ended no longer wait. */
export class WaitingCalls {
  readonly #store: Pick<Store, 'keyValues' | 'liveWriters' | 'pubSub' | 'writer'>;
  readonly #listeners = new Set<WaitingListener>();
  #known: ReadonlySet<string> = new Set();
  #refreshing: Promise<void> | undefined;
  #mustRefresh = false;
  #stop: (() => void) | undefined;

  constructor(store: Pick<Store, 'keyValues' | 'liveWriters' | 'pubSub' | 'writer'>) {
    this.#store = store;
  }

  async enter({ id, expiresAt }: Pick<ApprovalRecord, 'id' | 'expiresAt'>, call: string): Promise<void> {
    const { keyValues, writer } = this.#store;
    // This only affects the display of waiting callers; the call itself continues.
    await keyValues.put(kind, `${id} ${call}`, { text: writer, until: expiresAt }).catch(() => undefined);
    this.#report();
  }

  async leave({ approval, call }: WaitingCall): Promise<void> {
    await this.#store.keyValues.take(kind, `${approval} ${call}`).catch(() => undefined);
    this.#report();
  }

  /** Returns the ids of the approvals that a call waits for. */
  async approvals(): Promise<ReadonlySet<string>> {
    const { waiting } = await this.#select();
    return new Set(waiting.map(({ approval }) => approval));
  }

  /** Returns the calls whose process ended while they waited. */
  async lost(recovery?: RecoveryOptions): Promise<readonly WaitingCall[]> {
    return (await this.#select(recovery)).lost;
  }

  /** Calls the listener for every later change in any process. Returns a function that unsubscribes. */
  async follow(listener: WaitingListener): Promise<() => void> {
    if (this.#listeners.size === 0) {
      this.#known = await this.approvals();
      this.#start();
    }
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.stop();
    };
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #start(): void {
    if (this.#stop !== undefined) return;
    const { pubSub } = this.#store;
    const refresh = (): void => void this.#refresh();
    const timer = setInterval(refresh, pollMs).unref();
    const unsubscribe = [pubSub.subscribe(changedTopic, refresh), pubSub.onGap(refresh)];
    this.#stop = () => {
      clearInterval(timer);
      for (const end of unsubscribe) end();
    };
  }

  #report(): void {
    void this.#refresh();
    const { pubSub } = this.#store;
    if (pubSub.isCrossProcess) pubSub.publish(changedTopic, '').catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    if (this.#listeners.size === 0) return;
    this.#mustRefresh = true;
    await (this.#refreshing ??= this.#compare().finally(() => (this.#refreshing = undefined)));
  }

  async #compare(): Promise<void> {
    while (this.#mustRefresh) {
      this.#mustRefresh = false;
      try {
        const now = await this.approvals();
        const changes = { waiting: missingIn(this.#known, now), gone: missingIn(now, this.#known) };
        this.#known = now;
        if (changes.waiting.length + changes.gone.length === 0) continue;
        for (const listener of this.#listeners) emitSafely(listener, changes);
      } catch {
        // The store may be temporarily unavailable; the next poll finds the change.
      }
    }
  }

  async #select(
    recovery?: RecoveryOptions,
  ): Promise<{ waiting: readonly WaitingCall[]; lost: readonly WaitingCall[] }> {
    const { keyValues, writer } = this.#store;
    const calls = (await keyValues.list(kind)).map(({ key, text }): StoredCall => {
      const [approval = '', call = ''] = key.split(' ');
      return { approval, call, writer: text };
    });
    const isOwn = (call: StoredCall): boolean => call.writer === writer;
    if (calls.every(isOwn)) return { waiting: calls, lost: [] };
    const living = await this.#store.liveWriters(recovery);
    const { waiting = [], lost = [] } = Object.groupBy(calls, (call) =>
      // Earlier versions do not record the writer.
      isOwn(call) || call.writer === '' || living.has(call.writer) ? 'waiting' : 'lost',
    );
    return { waiting, lost };
  }
}

function missingIn(known: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...others].filter((id) => !known.has(id));
}

/** Records the outcome `cancelled` of every call whose process ended while it waited for an approval: nothing ran. */
export async function cancelCallsOfDeadProcesses(
  waiting: WaitingCalls,
  { store, journal }: { readonly store: Store; readonly journal: Journal },
  recovery: RecoveryOptions,
): Promise<void> {
  for (const lost of await waiting.lost(recovery)) {
    const record = await store.approval(lost.approval);
    // A call that was approved and started is recovered like any other call that ran.
    const [known] = await store.entries({ order: 'newest-first', limit: 1, call: lost.call, calls: true });
    if (record !== undefined && known === undefined)
      await journal.append(cancelledDraft(lost, parseQuestion(record)), 'crash');
    await waiting.leave(lost);
  }
}

function cancelledDraft({ call }: WaitingCall, question: ApprovalQuestion): EntryDraft {
  const { callId: _, tool, session = '', hidden: __, flags: ___, note: ____, ...facts } = question;
  const error: CallError = {
    code: 'process-ended',
    message: `interrupted: the process that served ${tool} ended while the call waited for approval; nothing ran`,
  };
  return {
    type: 'ToolInvoked',
    at: Date.now(),
    call,
    session,
    tool,
    outcome: 'cancelled',
    body: JSON.stringify({ ...facts, durationMs: null, output: '', error }),
    claim: abandonedClaimOutcome(call),
  };
}
