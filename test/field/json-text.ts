import type { JsonValue } from '../../src/core/json/json.ts';

/** Returns a text as it is, and any other value as JSON: servers may send anything where a text belongs. */
export function jsonText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
