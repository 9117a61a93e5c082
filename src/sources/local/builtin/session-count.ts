import { resolve } from 'node:path';
import { type Caller, standingOf } from './caller.ts';
import type { SessionBook } from './session-book.ts';

/** Dependencies of `get_session_count`. */
export interface SessionCountDependencies {
  readonly sessions: SessionBook;
  /** The default directory of sessions. */
  readonly directory: string;
  /** Counts the conversations of a directory that Claude Code has stored and that are not sessions of Signalbox. */
  claudeTranscripts(cwd: string): Promise<number>;
}

/** What `get_session_count` answers. */
export interface SessionCount {
  /** Both kinds together. */
  readonly count: number;
  /** The directory they are counted for. */
  readonly cwd: string;
  /** Sessions of Signalbox that the caller may see. */
  readonly signalbox: number;
  /** Conversations that Claude Code has stored and that are not sessions of Signalbox. */
  readonly claude_code: number;
}

/** Counts the sessions of a directory: the given one, that of the caller's session, or the default one. */
export async function sessionCount(
  { sessions, directory, claudeTranscripts }: SessionCountDependencies,
  args: { readonly cwd?: string | undefined },
  caller: Caller,
): Promise<SessionCount> {
  const { session, only } = await standingOf(caller, sessions);
  const near = session?.cwd ?? directory;
  const cwd = args.cwd === undefined ? near : resolve(near, args.cwd);
  const [signalbox, claudeCode] = await Promise.all([
    sessions.count({ cwd, ...(only === undefined ? {} : { owner: only }) }),
    claudeTranscripts(cwd),
  ]);
  return { count: signalbox + claudeCode, cwd, signalbox, claude_code: claudeCode };
}
