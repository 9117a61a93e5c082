import { principalName } from '../model/principal.ts';
import type { SessionStore, TurnRecord } from '../journal/session-store.ts';
import type { EventLog } from './event-log.ts';
import { openElicitations } from './pending-elicitations.ts';
import { readEvents } from './read-events.ts';
import type { SessionHappening } from './session-event.ts';

type Required = Extract<SessionHappening, { type: 'approval_required' }>;

const message =
  'the process that ran this turn ended before the turn did; what its calls came to is in the journal, and a new message goes on from here';

/** Ends a turn whose process is gone, so that whoever watches knows. */
export async function lostTurn(store: SessionStore, log: EventLog, turn: TurnRecord): Promise<void> {
  const session = await store.find(turn.session);
  if (session === undefined) return;
  const open = new Map<string, Required>();
  let isBegun = false;
  for await (const event of readEvents(store, session.id, Math.max(0, session.turnSeq - 1))) {
    if (event.type === 'user_message') isBegun = event.turnId === turn.id;
    if (event.type === 'approval_required') open.set(`${event.toolCallId}\n${event.approvalId}`, event);
    if (event.type === 'approval_resolved') open.delete(`${event.toolCallId}\n${event.approvalId}`);
  }
  const { id: turnId, content, by } = turn;
  const begin: SessionHappening = { type: 'user_message', turnId, content, by: principalName(by) };
  const resolved = [...open.values()].map(({ toolCallId, approvalId }): SessionHappening => {
    return { type: 'approval_resolved', toolCallId, approvalId, decision: 'expired', by: 'system' };
  });
  const cancelled = (await openElicitations(store, session)).map(({ toolCallId, elicitationId }): SessionHappening => {
    const reason = 'the process that ran the turn ended';
    return { type: 'elicitation_resolved', toolCallId, elicitationId, action: 'cancel', by: 'system', reason };
  });
  await log.write(
    session.id,
    [
      ...(isBegun ? [...resolved, ...cancelled] : [begin]),
      { type: 'error', code: 'turn-lost', message },
      { type: 'done', reason: 'error' },
    ],
    { begins: !isBegun, ends: turn.id, set: { lastTurn: 'error' } },
  );
}
