import { type Caller, standingOf } from './caller.ts';
import type { SessionBook } from './session-book.ts';

/** What `get_session_count` answers. */
export interface SessionCount {
  readonly count: number;
  /** The directory they are counted for; absent for all. */
  readonly cwd?: string;
}

/** Counts the sessions that the caller may know of. */
export async function sessionCount(
  sessions: SessionBook,
  { cwd }: { readonly cwd?: string | undefined },
  caller: Caller,
): Promise<SessionCount> {
  const { only } = await standingOf(caller, sessions);
  const count = await sessions.count({
    ...(cwd === undefined ? {} : { cwd }),
    ...(only === undefined ? {} : { owner: only }),
  });
  return { count, ...(cwd === undefined ? {} : { cwd }) };
}
