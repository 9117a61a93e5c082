import type { SessionRecord, SessionStore } from '../journal/store/session-store.ts';
import { readEvents } from './read-events.ts';
import type { ElicitationRequired, SessionEvent } from './session-event.ts';

/** A question of a server that waits for an answer, as its session shows it. */
export type PendingElicitation = SessionEvent & ElicitationRequired;

const pageSize = 100;

/** Returns the questions of servers that wait in the last turn of a session, the oldest first. */
export async function openElicitations(
  store: Pick<SessionStore, 'events'>,
  { id, turnSeq }: Pick<SessionRecord, 'id' | 'turnSeq'>,
): Promise<readonly PendingElicitation[]> {
  const open = new Map<string, PendingElicitation>();
  for await (const event of readEvents(store, id, Math.max(0, turnSeq - 1))) {
    if (event.type === 'elicitation_required') open.set(event.elicitationId, event);
    if (event.type === 'elicitation_resolved') open.delete(event.elicitationId);
  }
  return [...open.values()];
}

/** Returns the questions of servers that wait in any session, whichever process runs its turn. */
export async function pendingElicitations(
  store: Pick<SessionStore, 'events' | 'select'>,
): Promise<readonly PendingElicitation[]> {
  const pending: PendingElicitation[] = [];
  for (let page = await store.select({ active: true, limit: pageSize }); ;) {
    for (const session of page)
      if (session.turn === 'waiting') pending.push(...(await openElicitations(store, session)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    const after = { activeAt: last.activeAt, id: last.id };
    page = await store.select({ active: true, limit: pageSize, after });
  }
  return pending.toSorted((a, b) => a.at.localeCompare(b.at));
}
