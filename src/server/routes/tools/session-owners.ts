import { SignalboxError } from '../../../core/errors.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { Problem } from '../../problems/problem.ts';
import { evictOldest } from '../../access/evict-oldest.ts';
import { type Identity, mayView } from '../../access/identity.ts';

const maxCachedOwners = 10_000;

/**
 * Knows the owners of the sessions that calls name. Rules evaluate the history of a session, so an agent must not name the session
 * of another principal.
 */
export class SessionOwners {
  readonly #journal: InternalSignalbox['journal'];
  readonly #sessions: Sessions | undefined;
  readonly #owners = new Map<string, string>();

  constructor(journal: InternalSignalbox['journal'], sessions: Sessions | undefined) {
    this.#journal = journal;
    this.#sessions = sessions;
  }

  /** Throws `session-unknown` when an agent names the session of another principal. The first caller of a new session owns it. */
  async assertOwn(identity: Identity, named: string): Promise<void> {
    if (identity.role !== 'agent') return;
    // Compared as it will be recorded: two spellings may be recorded as the same session.
    const session = this.#journal.recordedName(named);
    if (session === '') return;
    const owner =
      this.#owners.get(session) ??
      (await this.#sessionOwner(session)) ??
      (await this.#firstCaller(session)) ??
      identity.principal.id;
    this.#cache(session, owner);
    if (!mayView(identity, owner))
      throw new Problem(
        'session-unknown',
        `the session ${JSON.stringify(session)} belongs to another principal; use another name`,
      );
  }

  /** Returns the owner of a session with an agent; `undefined` for any other name. */
  async #sessionOwner(session: string): Promise<string | undefined> {
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

  #cache(session: string, owner: string): void {
    if (this.#owners.has(session)) return;
    evictOldest(this.#owners, maxCachedOwners);
    this.#owners.set(session, owner);
  }
}
