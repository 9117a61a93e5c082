import { SignalboxError } from '../../../core/errors.ts';
import { type Caller, found, standingOf } from './caller.ts';
import type { SessionBook, SessionFacts } from './session-book.ts';

/** What `get_session_details` answers. */
export type SessionDetails = Omit<SessionFacts, 'owner'> & { readonly owner: string };

/** Tells of one session, if the caller may know of it. */
export async function sessionDetails(
  sessions: SessionBook,
  { id }: { readonly id: string },
  caller: Caller,
): Promise<SessionDetails> {
  const { only } = await standingOf(caller, sessions);
  const session = await found(sessions, id);
  // One message for both: whoever may not see a session learns nothing about it.
  if (session === undefined || (only !== undefined && session.owner.id !== only))
    throw new SignalboxError('session-unknown', `there is no session ${id.slice(0, 100)} that you can see`);
  const { title, agent, model, cwd, state, permissionMode, owner, createdAt, activeAt, queued } = session;
  const { forkedFrom, lastTurn } = session;
  return {
    id: session.id,
    title,
    agent,
    ...(model === undefined ? {} : { model }),
    cwd,
    state,
    permissionMode,
    owner: owner.id,
    createdAt,
    activeAt,
    queued,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(lastTurn === undefined ? {} : { lastTurn }),
  };
}
