import { SignalboxError } from '../../../core/errors.ts';
import { type PermissionMode, isPermissiveMode } from '../../../core/calls/permission-mode.ts';
import type { TranscriptMessage } from '../../../runtimes/runtime.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { NewSession, Session, SessionPage, SessionQuery, Sessions } from '../../../sessions/sessions.ts';
import type { PendingElicitation } from '../../../sessions/turns/turn-elicitations.ts';
import { assertRole } from '../../access/authorize.ts';
import { type Identity, maySeeHidden, mayView } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { Problem } from '../../problems/problem.ts';
import { type SessionRedactor, maxLookback } from './session-redactor.ts';

/** Checks which sessions a caller may see, and redacts them for viewers. */
export class SessionAccess {
  readonly #sessions: Sessions | undefined;
  readonly #redacted: SessionRedactor;

  constructor(sessions: Sessions | undefined, redacted: SessionRedactor) {
    this.#sessions = sessions;
    this.#redacted = redacted;
  }

  /** Returns all sessions, or throws `sessions-absent` when the server has none. */
  get all(): Sessions {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new Problem('sessions-absent', 'this server runs no agents; start it with "signalbox serve"');
  }

  /** Returns a session. Rejects with `session-unknown` also when the caller may not see it. */
  async one(identity: Identity, id: string): Promise<Session> {
    const session = await this.all.get(id);
    if (mayView(identity, session.owner.id)) return maySeeHidden(identity) ? session : this.#redacted.session(session);
    throw new SignalboxError('session-unknown', `there is no session ${JSON.stringify(id)}; it may have been deleted`);
  }

  async list(identity: Identity, query: SessionQuery): Promise<SessionPage> {
    const { role, principal } = identity;
    const page = await this.all.list(role === 'agent' ? { ...query, owner: principal.id } : query);
    if (maySeeHidden(identity)) return page;
    return { ...page, items: page.items.map((session) => this.#redacted.session(session)) };
  }

  async transcript(identity: Identity, id: string): Promise<readonly TranscriptMessage[]> {
    const messages = await this.all.transcript(id);
    return maySeeHidden(identity) ? messages : messages.map((message) => this.#redacted.message(message));
  }

  events(identity: Identity, id: string, after: number | undefined, signal: AbortSignal): AsyncIterable<SessionEvent> {
    if (maySeeHidden(identity)) return this.all.events(id, after === undefined ? { signal } : { after, signal });
    if (after === undefined) return this.#redacted.events(this.all.events(id, { signal }), 0);
    return this.#redacted.events(this.all.events(id, { after: Math.max(0, after - maxLookback), signal }), after);
  }

  async elicitations(identity: Identity): Promise<readonly PendingElicitation[]> {
    const pending = await this.all.elicitations();
    return maySeeHidden(identity) ? pending : pending.flatMap((each) => this.#redacted.event(each) ?? []);
  }

  async create(identity: Identity, request: NewSession): Promise<Session> {
    const { principal, profile } = identity;
    // The profile of a session is configured for its agent, and may allow more than that of the token.
    if (profile !== undefined)
      throw new Problem('role-refused', `a token that is bound to a profile (${profile}) cannot create sessions`);
    assertModeAllowed(identity, request.permissionMode);
    return this.all.create(request, principal);
  }
}

/** Throws `role-refused` when the role may not choose a mode that is less restrictive than the policy. */
export function assertModeAllowed(identity: Identity, mode: PermissionMode | undefined): void {
  if (mode !== undefined && isPermissiveMode(mode))
    assertRole(identity, routeRoles.answer, `the permission mode ${mode}`);
}
