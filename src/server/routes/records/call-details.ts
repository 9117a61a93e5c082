import type { z } from '@hono/zod-openapi';
import { toolRan } from '../../../pipeline/policies/recorded-calls.ts';
import type { JournalEvent } from '../../../journal/entries/journal-event.ts';
import type { ToolInvoked } from '../../../journal/entries/journal-event.ts';
import type { CallStarted } from '../../../journal/entries/journal-event.ts';
import { approvalWaitMs } from '../../../journal/queries/approval-wait.ts';
import type { CallOutcome } from '../../../core/calls/call-outcome.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { callDetailsSchema } from '../../schemas/journal-schemas.ts';

type Details = z.output<typeof callDetailsSchema>;

const maxEntries = 100;

/** Returns a call with its result, approval, undo state and journal entries. */
export async function readCallDetails(box: InternalSignalbox, call: ToolInvoked | CallStarted): Promise<Details> {
  const { callId } = call;
  const [recording, storedResult, undo, { items: history }] = await Promise.all([
    box.journal.recording(callId),
    ignoreUnknown(box.journal.result(callId, { limit: 1 })),
    box.undo.status(callId),
    box.journal.query({ call: callId, order: 'oldest-first', limit: maxEntries }),
  ]);
  const approvalId = call.approvalId ?? history.find(isQuestion)?.approvalId;
  const approval = approvalId === undefined ? undefined : await ignoreUnknown(box.approvals.get(approvalId));
  const details = {
    ...(recording === undefined ? {} : { result: resultOf(recording) }),
    ...(storedResult === undefined ? {} : { keptCharacters: storedResult.total }),
    ...(approval === undefined ? {} : { approval }),
    undo,
    history,
  };
  if (call.type === 'CallStarted') return { ...call, ...details };
  const waitedMs = approvalWaitMs(call, history, approval);
  return {
    ...call,
    ...details,
    ran: toolRan(call, history),
    ...(waitedMs === undefined ? {} : { waitedMs }),
  };
}

function resultOf({ content, structuredContent }: CallOutcome): Details['result'] {
  return { content, ...(structuredContent === undefined ? {} : { structuredContent }) };
}

function isQuestion(entry: JournalEvent): entry is JournalEvent & { readonly type: 'ApprovalRequested' } {
  return entry.type === 'ApprovalRequested';
}

/** Resolves to `undefined` for an approval or result that is unknown, because they are stored for a limited time. */
async function ignoreUnknown<Found>(lookup: Promise<Found>): Promise<Found | undefined> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof SignalboxError && (error.code === 'result-unknown' || error.code === 'approval-unknown'))
      return undefined;
    throw error;
  }
}
