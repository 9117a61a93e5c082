import type { HiddenPart } from '../../../core/calls/approval.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { escapeCharacter } from '../../../core/text/escape-invisible.ts';
import { printable } from '../../terminal/escape.ts';

const maxScreenCharacters = 2000;

/** Returns the whole arguments for a terminal, indented, and a line for each part that is hidden. */
export function argumentLines(shown: JsonObject, hidden: readonly HiddenPart[]): string[] {
  const json = printable(JSON.stringify(shown, undefined, 2));
  // Whitespace that looks like a plain space.
  const text = json.replaceAll(/[^\S \n]/gu, escapeCharacter).replaceAll('\n', '\n  ');
  // The user may not notice that lines scrolled out of sight, so the length is shown.
  const size =
    text.length > maxScreenCharacters ? [`  (${text.length} characters of arguments; scroll up for all of them)`] : [];
  return [text, ...size, ...hidden.map((part) => `  hidden: ${describePart(part)}`)];
}

/** Describes one hidden part: `9 characters at /password, the value of a key that names a secret`. */
function describePart({ path, length, kind, inName }: HiddenPart): string {
  const where = `${inName === true ? 'in the name of ' : 'at '}${printable(path).replaceAll('\n', ' ')}`;
  return `${pluralize(length, 'character')} ${where}, ${kinds[kind]}`;
}

const kinds: Readonly<Record<HiddenPart['kind'], string>> = {
  registered: 'a registered secret value',
  pattern: 'which look like a token',
  key: 'the value of a key that names a secret',
  size: 'too long to show',
};

/** Returns the parts that a human has to reveal or acknowledge before approving. */
export function unregisteredParts(hidden: readonly HiddenPart[]): readonly HiddenPart[] {
  return hidden.filter(({ kind }) => kind !== 'registered');
}

/** Describes the effect of an approval whose caller no longer waits. */
export function describeAbandoned(expiresAt: string): string {
  return `its caller no longer waits: approving runs nothing now; the approval is used if the same caller makes exactly the same call before ${expiresAt}`;
}
