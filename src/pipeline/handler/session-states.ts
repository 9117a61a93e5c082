import type { ToolSessionState } from '../../core/tools/tool-context.ts';
import type { JsonValue } from '../../core/json/json.ts';

/** The states that servers store for sessions, separate for each server. */
export class SessionStates {
  readonly #states = new Map<string, ToolSessionState>();

  /** Returns the state of a server in a session. A call without a session has a separate state. */
  of(session: string | undefined, server: string): ToolSessionState {
    if (session === undefined) return sessionState();
    const key = `${server}\n${session}`;
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, (state = sessionState()));
    return state;
  }

  /** Deletes the states of all servers for a session. */
  end(session: string): void {
    for (const key of this.#states.keys()) if (key.endsWith(`\n${session}`)) this.#states.delete(key);
  }
}

function sessionState(): ToolSessionState {
  const values = new Map<string, JsonValue>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    keys: () => [...values.keys()],
  };
}
