import type { SessionState } from '../core/tools/tool-context.ts';
import type { JsonValue } from '../core/json/json.ts';

interface Written {
  readonly before: JsonValue | undefined;
  after: JsonValue | undefined;
}

/** What one call writes to a session's state, so that it can be taken back without touching what others wrote since. */
export class StateChanges {
  readonly #watched = new Map<SessionState, Map<string, Written>>();

  /** The same state, with an eye on what is written. */
  watch(state: SessionState): SessionState {
    const written = this.#watched.get(state) ?? new Map<string, Written>();
    this.#watched.set(state, written);
    const note = (key: string, after: JsonValue | undefined): void => {
      const known = written.get(key);
      if (known === undefined) written.set(key, { before: state.get(key), after });
      else known.after = after;
    };
    // Copies both ways: what is done to a value in place could not be taken back.
    return {
      get: (key) => copied(state.get(key)),
      keys: () => state.keys(),
      set(key, given) {
        const value = copied(given);
        note(key, value);
        state.set(key, value);
      },
      delete(key) {
        note(key, undefined);
        state.delete(key);
      },
    };
  }

  /** Puts back what was there, except where somebody has written since. */
  takeBack(): void {
    for (const [state, written] of this.#watched) {
      for (const [key, { before, after }] of written) {
        if (state.get(key) !== after) continue;
        if (before === undefined) state.delete(key);
        else state.set(key, before);
      }
    }
    this.#watched.clear();
  }
}

function copied<Value extends JsonValue | undefined>(value: Value): Value {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
