import { SignalboxError } from '../../core/errors.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { Problem } from '../problems/problem.ts';
import { dropOldest } from './drop-oldest.ts';
import { type Identity, mayView } from './identity.ts';

const mostRemembered = 10_000;

/**
 * Whose the sessions are that calls name. Rules look at what happened in a session before, so an agent that could name somebody
 * else's would be judged by what others did.
 */
export class SessionOwners {
  readonly #journal: InternalSignalbox['journal'];
  readonly #sessions: Sessions | undefined;
  readonly #owners = new Map<string, string>();

  constructor(journal: InternalSignalbox['journal'], sessions: Sessions | undefined) {
    this.#journal = journal;
    this.#sessions = sessions;
  }

  /** Refuses agents a session that is another's. One without calls is theirs with the first. */
  async assertOwn(identity: Identity, named: string): Promise<void> {
    if (identity.role !== 'agent') return;
    // As it will be recorded: a spelling that is recorded as somebody else's session is that session.
    const session = this.#journal.recordedName(named);
    if (session === '') return;
    const owner =
      this.#owners.get(session) ??
      (await this.#holder(session)) ??
      (await this.#firstCaller(session)) ??
      identity.principal.id;
    this.#remember(session, owner);
    if (!mayView(identity, owner))
      throw new Problem('session-unknown', `${JSON.stringify(session)} is no session of yours; name another one`);
  }

  /** Who began the conversation, where it is one. */
  async #holder(session: string): Promise<string | undefined> {
    try {
      return (await this.#sessions?.get(session))?.owner.id;
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'session-unknown') return undefined;
      throw error;
    }
  }

  async #firstCaller(session: string): Promise<string | undefined> {
    const { items } = await this.#journal.calls({ session, order: 'oldest-first', limit: 1 });
    return items[0]?.principal.id;
  }

  #remember(session: string, owner: string): void {
    if (this.#owners.has(session)) return;
    dropOldest(this.#owners, mostRemembered);
    this.#owners.set(session, owner);
  }
}
