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

const mostEntries = 100;

/** Puts together what is known of one call. */
export async function readCallDetails(box: InternalSignalbox, call: ToolInvoked | CallStarted): Promise<Details> {
  const { callId } = call;
  const [recording, kept, undo, { items: history }] = await Promise.all([
    box.journal.recording(callId),
    unlessUnknown(box.journal.result(callId, { limit: 1 })),
    box.undo.status(callId),
    box.journal.query({ call: callId, order: 'oldest-first', limit: mostEntries }),
  ]);
  const asked = call.approvalId ?? history.find(isQuestion)?.approvalId;
  const approval = asked === undefined ? undefined : await unlessUnknown(box.approvals.get(asked));
  const details = {
    ...(recording === undefined ? {} : { result: resultOf(recording) }),
    ...(kept === undefined ? {} : { keptCharacters: kept.total }),
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

/** What is kept only for a time may be gone. */
async function unlessUnknown<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof SignalboxError && (error.code === 'result-unknown' || error.code === 'approval-unknown'))
      return undefined;
    throw error;
  }
}
