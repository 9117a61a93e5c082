import { SignalboxError } from '../model/errors.ts';
import { type PermissionMode, isFreerMode } from '../model/permission-mode.ts';
import type { NewSession, Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { assertRole } from './access/authorize.ts';
import { type Identity, mayView } from './access/identity.ts';
import { may } from './access/may.ts';
import { Problem } from './problems/problem.ts';

/** The sessions that a server holds, as whoever asks may see them. */
export class ServedSessions {
  readonly #sessions: Sessions | undefined;

  constructor(sessions: Sessions | undefined) {
    this.#sessions = sessions;
  }

  /** All of them. */
  get all(): Sessions {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new Problem('sessions-absent', 'no agents run behind this server; "signalbox serve" brings some');
  }

  /** One session. To those who may not see it, it is as if there were none. */
  async one(identity: Identity, id: string): Promise<Session> {
    const session = await this.all.get(id);
    if (mayView(identity, session.owner.id)) return session;
    throw new SignalboxError('session-unknown', `there is no session ${JSON.stringify(id)} (any more)`);
  }

  async create(identity: Identity, request: NewSession): Promise<Session> {
    const { principal, profile } = identity;
    // The agent of a session has the profile that the configuration gives it, which may be a wider one.
    if (profile !== undefined)
      throw new Problem('role-refused', `a token that is bound to a profile (${profile}) begins no sessions`);
    assertMode(identity, request.permissionMode);
    return this.all.create(request, principal);
  }
}

/** Agents may bind themselves more than the policy does, and not less. */
export function assertMode(identity: Identity, mode: PermissionMode | undefined): void {
  if (mode !== undefined && isFreerMode(mode)) assertRole(identity, may.answer, `the permission mode ${mode}`);
}
