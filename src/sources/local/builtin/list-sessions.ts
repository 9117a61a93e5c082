import { type Caller, standingOf } from './caller.ts';
import type { SessionBook, SessionFacts } from './session-book.ts';

/** Which sessions are wanted. */
export interface ListSessionsArguments {
  readonly cwd?: string | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

/** One session in a list. */
export type SessionLine = Pick<SessionFacts, 'id' | 'title' | 'agent' | 'cwd' | 'state' | 'activeAt'>;

/** What `list_sessions` and `list_active_sessions` answer. */
export interface SessionList {
  readonly sessions: readonly SessionLine[];
  /** Where to go on with `after`; absent at the end. */
  readonly next?: string;
}

/** Lists the sessions that the caller may know of, last active first. */
export async function listSessions(
  sessions: SessionBook,
  { cwd, limit, after }: ListSessionsArguments,
  caller: Caller,
  active = false,
): Promise<SessionList> {
  const { only } = await standingOf(caller, sessions);
  const { items, next } = await sessions.list({
    limit,
    ...(cwd === undefined ? {} : { cwd }),
    ...(after === undefined ? {} : { after }),
    ...(only === undefined ? {} : { owner: only }),
    ...(active ? { active } : {}),
  });
  return { sessions: items.map(line), ...(next === undefined ? {} : { next }) };
}

/** Lists those of them whose turn runs or waits. */
export async function listActiveSessions(sessions: SessionBook, caller: Caller): Promise<SessionList> {
  return await listSessions(sessions, { limit: 100 }, caller, true);
}

function line({ id, title, agent, cwd, state, activeAt }: SessionFacts): SessionLine {
  return { id, title, agent, cwd, state, activeAt };
}
