import type { SessionRecord } from '../journal/store/session-store.ts';
import type { TurnReason } from './session-event.ts';
import type { Session, SessionState } from './session.ts';

const untitled = 'New session';
const longestTitle = 80;

/** A session as its users see it. */
export function toSession(record: SessionRecord, idleMs: number): Session {
  const { id, agent, runtime, model, title, cwd, permissionMode, owner, forkedFrom, queued, lastSeq, lastTurn } =
    record;
  return {
    id,
    agent,
    runtime,
    ...(model === '' ? {} : { model }),
    title: title === '' ? untitled : title,
    cwd,
    permissionMode,
    state: stateOf(record, idleMs),
    owner,
    createdAt: new Date(record.createdAt).toISOString(),
    activeAt: new Date(record.activeAt).toISOString(),
    ...(forkedFrom === '' ? {} : { forkedFrom }),
    queued,
    lastSeq,
    ...(lastTurn === '' ? {} : { lastTurn: lastTurn as TurnReason }),
  };
}

function stateOf({ turn, queued, activeAt }: SessionRecord, idleMs: number): SessionState {
  if (turn !== 'none') return turn;
  if (queued > 0) return 'running';
  return activeAt + idleMs <= Date.now() ? 'expired' : 'idle';
}

/** What a session is called after the first message in it. */
export function titleOf(message: string): string {
  const line = message.trim().split(/\s*\n/, 1)[0] ?? '';
  const characters = [...line];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}
