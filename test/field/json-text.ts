import type { JsonValue } from '../../src/core/json/json.ts';

/** Returns a string unchanged, and any other value as JSON, because servers may send any value in place of a string. */
export function jsonText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
