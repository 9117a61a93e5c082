import { SignalboxError } from '../../../src/core/errors.ts';
import type { Principal } from '../../../src/core/principal.ts';
import type { SessionLookup, SessionDescription } from '../../../src/sources/local/builtin/caller-scope.ts';

/** Creates a session, as the built-in tools see it. */
export function createSessionDescription(
  id: string,
  owner: Principal,
  overrides: Partial<SessionDescription> = {},
): SessionDescription {
  return {
    id,
    title: `about ${id}`,
    agent: 'claude',
    cwd: '/srv',
    state: 'idle',
    permissionMode: 'default',
    owner,
    createdAt: '2026-11-15T10:00:00.000Z',
    activeAt: '2026-11-15T11:00:00.000Z',
    queued: 0,
    ...overrides,
  };
}

/** Creates a lookup of in-memory sessions that behaves like the real one. */
export function createSessionLookup(all: readonly SessionDescription[]): SessionLookup {
  const matches = (
    { owner, cwd, state }: SessionDescription,
    search: { owner?: string; cwd?: string; active?: boolean },
  ): boolean =>
    (search.owner === undefined || owner.id === search.owner) &&
    (search.cwd === undefined || cwd === search.cwd) &&
    (search.active !== true || state === 'running' || state === 'waiting');
  return {
    async list({ limit = 20, after, ...search }) {
      const from = after === undefined ? 0 : Number(after);
      const found = all.filter((session) => matches(session, search));
      const items = found.slice(from, from + limit);
      return from + limit < found.length ? { items, next: String(from + limit) } : { items };
    },
    count: async (search) => all.filter((session) => matches(session, search)).length,
    async get(id) {
      const session = all.find((each) => each.id === id);
      if (session === undefined) throw new SignalboxError('session-unknown', `there is no session ${id}`);
      return session;
    },
  };
}
