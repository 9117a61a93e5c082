import type { EntryDraft } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Looking } from '../../journal/looking.ts';
import { lostClaim } from '../../journal/recovery.ts';
import type { Store } from '../../journal/store.ts';
import type { AskedCall } from '../../core/calls/approval.ts';
import type { CallError } from 'src/core/calls/call-outcome.ts';
import { askedOf } from './approval-view.ts';
import type { WaitingCall, WaitingCalls } from './waiting-calls.ts';

/** Records the outcome `cancelled` of every call whose process ended while it waited for an approval: nothing ran. */
export async function endLostCalls(
  waiting: WaitingCalls,
  { store, journal }: { readonly store: Store; readonly journal: Journal },
  looking: Looking,
): Promise<void> {
  for (const lost of await waiting.lost(looking)) {
    const record = await store.approval(lost.approval);
    // A call that was approved and started is an orphan like any other that ran.
    const [known] = await store.entries({ order: 'newest-first', limit: 1, call: lost.call, calls: true });
    if (record !== undefined && known === undefined)
      await journal.append(cancelledDraft(lost, askedOf(record)), 'crash');
    await waiting.leave(lost);
  }
}

function cancelledDraft({ call }: WaitingCall, asked: AskedCall): EntryDraft {
  const { callId: _, tool, session = '', hidden: __, flags: ___, note: ____, ...facts } = asked;
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
    claim: lostClaim(call),
  };
}
