import type { JsonValue } from '../../core/json/json.ts';
import { sanitizeText } from '../transforms/sanitize-text.ts';

/** One thing that is not as it was. */
export interface Difference {
  /** A sentence for people. */
  readonly text: string;
  /** The same without the server's prose: models read it too, and nobody has accepted that prose. */
  readonly short: string;
  /** The tool asks for more trust than what was accepted. */
  readonly weaker: boolean;
}

const longestName = 60;
const longestValue = 120;

export function difference(text: string, short = text): Difference {
  return { text, short, weaker: false };
}

/** A difference that somebody should look at twice. */
export function weaker(text: string, why = 'weaker', short = text): Difference {
  return { text: `${text} ⚠ ${why}`, short: `${short} ⚠`, weaker: true };
}

/** A name that the server chose. */
export function quoted(name: string): string {
  return `\`${clipped(sanitizeText(name).replaceAll(/\s+/g, ' '), longestName)}\``;
}

/** A value that the server chose. */
export function shownValue(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : clipped(JSON.stringify(value), longestValue);
}

export function clipped(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
