import type { JsonObject, JsonValue } from '../../../core/json/json.ts';

/** The configuration as the built-in tools see it. */
export interface ConfigurationBook {
  readonly file: string;
  /** What stands in the file: references as references, and no secrets. */
  read(): JsonObject;
  /**
   * Changes one place in the file (`undefined` takes it out) and keeps what was there for `undo`. Throws, and changes nothing,
   * when the result could not be used.
   */
  change(callId: string, path: readonly string[], value: JsonValue | undefined): void;
  /**
   * Brings the file back to what it was before the call. Throws when it was changed since, or nothing is kept of the call, unless
   * that did not end and may have changed nothing.
   */
  undo(callId: string, isUnfinished: boolean): void;
}
