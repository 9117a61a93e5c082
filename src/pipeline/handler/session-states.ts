import type { SessionState } from '../../core/tools/tool-context.ts';
import type { JsonValue } from '../../core/json/json.ts';

/** What servers remember about sessions, each server for itself. */
export class SessionStates {
  readonly #states = new Map<string, SessionState>();

  /** The state of one server in one session; a call without a session gets one that is gone afterwards. */
  of(session: string | undefined, server: string): SessionState {
    if (session === undefined) return sessionState();
    const key = `${server}\n${session}`;
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, (state = sessionState()));
    return state;
  }

  /** Forgets what all servers remember about a session. */
  end(session: string): void {
    for (const key of this.#states.keys()) if (key.endsWith(`\n${session}`)) this.#states.delete(key);
  }
}

function sessionState(): SessionState {
  const values = new Map<string, JsonValue>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    keys: () => [...values.keys()],
  };
}
