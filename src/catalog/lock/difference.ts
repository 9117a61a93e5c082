import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { sanitizeText } from '../transforms/sanitize-text.ts';

/** One difference. */
export interface Difference {
  /** A sentence for display. */
  readonly text: string;
  /** The sentence without unaccepted prose of the server, because models read this form too. */
  readonly short: string;
  /** The tool requires more trust than was accepted. */
  readonly weaker: boolean;
}

const maxNameLength = 60;
const maxValueLength = 120;

export function difference(text: string, short = text): Difference {
  return { text, short, weaker: false };
}

/** A difference that weakens protection. */
export function weaker(text: string, why = 'weaker', short = text): Difference {
  return { text: `${text} ⚠ ${why}`, short: `${short} ⚠`, weaker: true };
}

/** Formats a name from the server. */
export function quoted(name: string): string {
  return `\`${truncate(sanitizeText(name).replaceAll(/\s+/g, ' '), maxNameLength)}\``;
}

/** Formats a value from the server. */
export function formatValue(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : truncate(JSON.stringify(value), maxValueLength);
}

export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Returns the keys of two objects, each once. */
export function keysOfBoth(before: JsonObject, now: JsonObject): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])];
}

/** Returns an own property of an object, which may have any name. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns whether two values in canonical form are the same. */
export function isSame(before: JsonValue | undefined, now: JsonValue | undefined): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now);
}
