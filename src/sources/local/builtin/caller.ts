import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { SessionBook, SessionFacts } from './session-book.ts';

/** Who asks a built-in tool, as its handler is told. */
export type Caller = Pick<ToolContext, 'principal' | 'session'>;

/** For whom a caller acts, and from where. */
export interface Standing {
  readonly owner: Principal;
  /** The session that the call is made in, where it is one of the owner's. */
  readonly session: SessionFacts | undefined;
  /** What is seen is narrowed to what belongs to this principal; everything when absent. */
  readonly only?: string;
}

/**
 * An agent in a session acts for the session's owner, anybody else for himself. Humans see everything, as they do in the
 * console; an agent sees what belongs to whom it acts for. The session alone is no proof, because callers name it themselves:
 * the principal must be the one that the calls of exactly this session carry.
 */
export async function standingOf({ principal, session: id }: Caller, sessions: SessionBook): Promise<Standing> {
  const session = id === undefined ? undefined : await found(sessions, id);
  const isInside = session !== undefined && principal.id === `${session.owner.id}/${session.agent}`;
  const owner = isInside ? session.owner : principal;
  const standing = { owner, session: isInside ? session : undefined };
  return principal.kind === 'human' ? standing : { ...standing, only: owner.id };
}

/** The session of that id; `undefined` when there is none. */
export async function found(sessions: SessionBook, id: string): Promise<SessionFacts | undefined> {
  try {
    return await sessions.get(id);
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'session-unknown') return undefined;
    throw error;
  }
}
