import { principalName } from '../../core/principal.ts';
import type { SessionRecord, TurnRecord } from '../../journal/store/session-store.ts';
import { text } from '../../core/tools/content.ts';
import type { EventLog } from '../events/event-log.ts';
import { readOpenElicitations } from './turn-elicitations.ts';
import { readEvents } from '../events/read-events.ts';
import type { SessionBox } from '../session-box.ts';
import type { SessionEventBody } from '../events/session-event.ts';
import { toApprovalResolution } from './turn-approvals.ts';

type Result = Extract<SessionEventBody, { type: 'tool_result' }>;
type LostBox = Pick<SessionBox, 'sessionStore'> & { readonly approvals: Pick<SessionBox['approvals'], 'get'> };

/** A call of the turn without a result. */
interface OpenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  isComplete: boolean;
  asksUser: boolean;
  readonly approvals: string[];
}

interface LostTurn {
  isBegun: boolean;
  readonly calls: OpenCall[];
  /** The approvals that the events leave open, with the calls that wait for them. */
  readonly approvals: Map<string, { readonly toolCallId: string; readonly approvalId: string }>;
}

const message =
  'the process that ran this turn ended before the turn did; the journal has the outcomes of its calls, and a new message continues from here';
const reason = 'the process that ran the turn ended';

/** Ends a turn whose process died: closes its questions and gives each of its calls the known outcome. */
export async function endLostTurn(box: LostBox, log: EventLog, turn: TurnRecord): Promise<void> {
  const { sessionStore: store } = box;
  const session = await store.find(turn.session);
  if (session === undefined) return;
  const { isBegun, calls, approvals } = await readTurn(box, session, turn);
  const { id: turnId, content, by } = turn;
  const begin: SessionEventBody = { type: 'user_message', turnId, content, by: principalName(by) };
  const ends: SessionEventBody[] = [];
  for (const open of approvals.values()) {
    const how = await box.approvals.get(open.approvalId).then(
      (approval) => toApprovalResolution(approval, `${reason}; nothing ran`),
      () => ({ decision: 'expired' as const, by: 'system', reason }),
    );
    ends.push({ type: 'approval_resolved', ...open, ...how });
  }
  for (const { toolCallId, elicitationId } of await readOpenElicitations(store, session))
    ends.push({ type: 'elicitation_resolved', toolCallId, elicitationId, action: 'cancel', by: 'system', reason });
  for (const call of calls) ends.push(await toLostResult(box, call));
  await log.write(
    session.id,
    [...(isBegun ? ends : [begin]), { type: 'error', code: 'turn-lost', message }, { type: 'done', reason: 'error' }],
    { begins: !isBegun, ends: turn.id, set: { lastTurn: 'error' } },
  );
}

async function readTurn({ sessionStore }: LostBox, session: SessionRecord, turn: TurnRecord): Promise<LostTurn> {
  const lost: LostTurn = { isBegun: false, calls: [], approvals: new Map() };
  const { calls, approvals } = lost;
  // Some models give several calls one id; an event belongs to the last of them that has not ended.
  const openCall = (id: string): OpenCall | undefined => calls.findLast(({ toolCallId }) => toolCallId === id);
  for await (const event of readEvents(sessionStore, session.id, Math.max(0, session.turnSeq - 1))) {
    if (event.type === 'user_message') lost.isBegun = event.turnId === turn.id;
    if (!('toolCallId' in event)) continue;
    const { toolCallId } = event;
    const call = openCall(toolCallId);
    switch (event.type) {
      case 'tool_call_start':
        calls.push({ toolCallId, toolName: event.toolName, isComplete: false, asksUser: false, approvals: [] });
        break;
      case 'tool_call_end':
        if (call !== undefined) call.isComplete = true;
        break;
      case 'tool_result':
        if (call !== undefined) calls.splice(calls.lastIndexOf(call), 1);
        break;
      case 'approval_required':
        call?.approvals.push(event.approvalId);
        approvals.set(`${toolCallId}\n${event.approvalId}`, { toolCallId, approvalId: event.approvalId });
        break;
      case 'approval_resolved':
        approvals.delete(`${toolCallId}\n${event.approvalId}`);
        break;
      case 'question_prompt':
      case 'question_answered':
        if (call !== undefined) call.asksUser = event.type === 'question_prompt';
        break;
      case 'tool_call_delta':
      case 'tool_progress':
      case 'elicitation_required':
      case 'elicitation_resolved':
      case 'sampling_result':
    }
  }
  return lost;
}

/** Returns the result of a call without one. A call that waited for approval ran only if the approval was used; any other may have run. */
async function toLostResult(box: LostBox, { approvals, asksUser, isComplete, ...call }: OpenCall): Promise<Result> {
  const found = await Promise.all(approvals.map((id) => box.approvals.get(id).catch(() => undefined)));
  const usedBy = found.find((approval) => approval?.usedBy !== undefined)?.usedBy;
  const asked = found.at(-1)?.callId;
  if (usedBy === undefined && asked !== undefined)
    return toInterruptedResult(call, 'cancelled', 'while this call waited for approval; nothing ran', asked);
  if (asksUser) return toInterruptedResult(call, 'cancelled', 'while this call waited for an answer; nothing ran');
  if (!isComplete) return toInterruptedResult(call, 'cancelled', 'before this call began; nothing ran');
  return toInterruptedResult(
    call,
    'unknown',
    'while this call ran; it may have taken effect, and the journal has its record',
    usedBy,
  );
}

function toInterruptedResult(
  { toolCallId, toolName }: Pick<OpenCall, 'toolCallId' | 'toolName'>,
  outcome: Result['outcome'],
  when: string,
  callId?: string,
): Result {
  const content = [text(`${toolName} was interrupted: the process that ran the turn ended ${when}`)];
  return {
    type: 'tool_result',
    toolCallId,
    outcome,
    content,
    durationMs: 0,
    ...(callId === undefined ? {} : { callId: callId as NonNullable<Result['callId']> }),
  };
}
