import { SignalboxError } from '../model/errors.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ServerContext } from './environment.ts';
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

  /** Whose sessions are listed; `undefined`: everybody's. */
  ownerFor(_context: ServerContext): string | undefined {
    return undefined;
  }

  /** One session. To those who may not see it, it is as if there were none. */
  async one(context: ServerContext, id: string): Promise<Session> {
    const session = await this.all.get(id);
    const owner = this.ownerFor(context);
    if (owner === undefined || session.owner.id === owner) return session;
    throw new SignalboxError('session-unknown', `there is no session "${id}"`);
  }
}
