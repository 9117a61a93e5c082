import type { ToolSessionState } from '../core/tools/tool-context.ts';
import type { JsonValue } from '../core/json/json.ts';

interface Written {
  readonly before: JsonValue | undefined;
  after: JsonValue | undefined;
}

/** Records the writes of one call to the session state, so that they can be reverted without touching later writes of others. */
export class StateChanges {
  readonly #watched = new Map<ToolSessionState, Map<string, Written>>();

  /** Returns a view of the state that records writes. */
  track(state: ToolSessionState): ToolSessionState {
    const written = this.#watched.get(state) ?? new Map<string, Written>();
    this.#watched.set(state, written);
    const note = (key: string, after: JsonValue | undefined): void => {
      const known = written.get(key);
      if (known === undefined) written.set(key, { before: state.get(key), after });
      else known.after = after;
    };
    // Values are copied in both directions, because a change in place could not be reverted.
    return {
      get: (key) => copy(state.get(key)),
      keys: () => state.keys(),
      set(key, newValue) {
        const value = copy(newValue);
        note(key, value);
        state.set(key, value);
      },
      delete(key) {
        note(key, undefined);
        state.delete(key);
      },
    };
  }

  /** Restores the earlier values, except for keys that others have written since. */
  revert(): void {
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

function copy<Value extends JsonValue | undefined>(value: Value): Value {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
