import { SignalboxError } from '../../../core/errors.ts';
import { type PermissionMode, isFreerMode } from '../../../core/calls/permission-mode.ts';
import type { TranscriptMessage } from '../../../runtimes/runtime.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { NewSession, Session, SessionPage, SessionQuery, Sessions } from '../../../sessions/sessions.ts';
import type { PendingElicitation } from '../../../sessions/turns/turn-elicitations.ts';
import { assertRole } from '../../access/authorize.ts';
import { type Identity, maySeeHidden, mayView } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { Problem } from '../../problems/problem.ts';
import { type SessionRedactor, maxLookBack } from './session-redactor.ts';

/** The sessions that a server holds, as whoever asks may see them. */
export class SessionAccess {
  readonly #sessions: Sessions | undefined;
  readonly #redacted: SessionRedactor;

  constructor(sessions: Sessions | undefined, redacted: SessionRedactor) {
    this.#sessions = sessions;
    this.#redacted = redacted;
  }

  /** All of them. */
  get all(): Sessions {
    if (this.#sessions !== undefined) return this.#sessions;
    throw new Problem('sessions-absent', 'no agents run behind this server; "signalbox serve" brings some');
  }

  /** One session. To those who may not see it, it is as if there were none. */
  async one(identity: Identity, id: string): Promise<Session> {
    const session = await this.all.get(id);
    if (mayView(identity, session.owner.id)) return maySeeHidden(identity) ? session : this.#redacted.session(session);
    throw new SignalboxError('session-unknown', `there is no session ${JSON.stringify(id)} (any more)`);
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
    return this.#redacted.events(this.all.events(id, { after: Math.max(0, after - maxLookBack), signal }), after);
  }

  async elicitations(identity: Identity): Promise<readonly PendingElicitation[]> {
    const pending = await this.all.elicitations();
    return maySeeHidden(identity) ? pending : pending.flatMap((each) => this.#redacted.event(each) ?? []);
  }

  async create(identity: Identity, request: NewSession): Promise<Session> {
    const { principal, profile } = identity;
    // The agent of a session has the profile that the configuration gives it, which may be a wider one.
    if (profile !== undefined)
      throw new Problem('role-refused', `a token that is bound to a profile (${profile}) begins no sessions`);
    assertModeAllowed(identity, request.permissionMode);
    return this.all.create(request, principal);
  }
}

/** Agents may bind themselves more than the policy does, and not less. */
export function assertModeAllowed(identity: Identity, mode: PermissionMode | undefined): void {
  if (mode !== undefined && isFreerMode(mode)) assertRole(identity, routeRoles.answer, `the permission mode ${mode}`);
}
