import { type Principal, principalName } from '../../core/principal.ts';
import type { CallSettled } from '../../journal/entries/journal-event.ts';
import type { Journal } from '../../journal/journal.ts';
import { JournalReader } from '../../journal/queries/journal-reader.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { text } from '../../core/tools/content.ts';
import { SignalboxError } from '../../core/errors.ts';
import { entryDraft } from './entry-draft.ts';

/** The outcome that a human determined for an unknown call. */
export interface CallSettlement {
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly note?: string;
}

/** Records the outcome of a call whose outcome was unknown. Only humans can, and only once. */
export async function settleCall(
  { store, journal, redactor }: { store: Store; journal: Journal; redactor: Redactor },
  id: string,
  { as, by, note }: CallSettlement,
): Promise<void> {
  if (by.kind !== 'human')
    throw new SignalboxError(
      'approver-refused',
      `only humans can settle a call, and ${JSON.stringify(by.id)} is not one`,
    );
  const call = await new JournalReader(store).call(id);
  if (call === undefined) throw new SignalboxError('call-unknown', `no call ${JSON.stringify(id)} is in the journal`);
  if (call.type === 'CallStarted') throw new SignalboxError('call-settled', `${id} is still running`);
  if (call.outcome !== 'unknown')
    throw new SignalboxError(
      'call-settled',
      `${id} is "${call.outcome}"; only a call whose outcome is unknown can be settled`,
    );
  const written = await journal.append(
    {
      ...entryDraft(
        'CallSettled',
        { as, by, note: note === undefined ? undefined : redactor.text(note).slice(0, 1000) },
        redactor,
        {
          call: id,
          session: call.sessionId,
          tool: call.tool,
        },
      ),
      // The same mechanism that makes an idempotency key single-use.
      claim: { key: `settled:${id}`, fingerprint: as },
    },
    'power-loss',
  );
  if (written !== undefined) return;
  const settled = (await new JournalReader(store).call(id)) as typeof call;
  throw new SignalboxError(
    'call-settled',
    `${id} was already settled as ${settled.settled?.as} by ${settled.settled?.by.id} at ${settled.settled?.at}`,
  );
}

/** Returns the outcome of a settled call for repeated deliveries of the same call. */
export function settledOutcome(tool: string, { callId, as, by, at, note }: CallSettled): CallOutcome {
  const message = `${tool} was run as ${callId}; its outcome was unknown until ${principalName(by)} settled it as ${as} at ${at}${note === undefined ? '' : `: ${note}`}`;
  if (as === 'failed') return failedOutcome('failed', 'settled-failed', message);
  return { outcome: 'completed', content: [text(message)] };
}
