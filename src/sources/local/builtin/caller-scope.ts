import type { PermissionMode } from '../../../core/calls/permission-mode.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { type ErrorCode, SignalboxError } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';

/** A session, as the built-in tools see it. */
export interface SessionDescription {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly cwd: string;
  readonly state: string;
  readonly permissionMode: PermissionMode;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly queued: number;
  readonly forkedFrom?: string;
  readonly lastTurn?: string;
}

/** A query for sessions. */
export interface SessionSearch {
  readonly limit?: number;
  readonly after?: string;
  readonly cwd?: string;
  readonly owner?: string;
  readonly active?: boolean;
}

/** Looks up sessions for the built-in tools. `get` rejects with `session-unknown` where there is none. */
export interface SessionLookup {
  list(search: SessionSearch): Promise<{ readonly items: readonly SessionDescription[]; readonly next?: string }>;
  count(search: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  get(id: string): Promise<SessionDescription>;
}

/** The caller of a built-in tool. */
export type ToolCaller = Pick<ToolContext, 'principal' | 'session'>;

/** The principal that a caller acts for, and what it may see. */
export interface CallerScope {
  readonly owner: Principal;
  /** The session of the call, when it belongs to the owner. */
  readonly session: SessionDescription | undefined;
  /** The only principal whose objects are visible; all when absent. */
  readonly only?: string;
}

/**
 * Returns the scope of a caller. An agent in a session acts for the session's owner, every other caller for itself. Humans see everything,
 * as in the console; agents see the objects of the principal that they act for. Callers name the session themselves, so the principal must
 * be the one that calls of exactly this session carry.
 */
export async function callerScopeOf(
  { principal, session: id }: ToolCaller,
  sessions: SessionLookup,
): Promise<CallerScope> {
  const session = id === undefined ? undefined : await findSession(sessions, id);
  const isInside = session !== undefined && principal.id === `${session.owner.id}/${session.agent}`;
  const owner = isInside ? session.owner : principal;
  const scope = { owner, session: isInside ? session : undefined };
  return principal.kind === 'human' ? scope : { ...scope, only: owner.id };
}

/** Returns the session with this id, or undefined. */
export async function findSession(sessions: SessionLookup, id: string): Promise<SessionDescription | undefined> {
  return await unlessFailed(sessions.get(id), 'session-unknown');
}

/** Resolves with undefined when the promise rejects with this code. */
export async function unlessFailed<Value>(promise: Promise<Value>, code: ErrorCode): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof SignalboxError && error.code === code) return undefined;
    throw error;
  }
}
