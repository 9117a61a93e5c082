import { setImmediate as otherTurns } from 'node:timers/promises';

/** As deep as arguments may be. */
const deepest = 256;
/** `JSON.parse` takes seconds for some texts of a few megabytes, but not for those that are mostly strings. */
const mostValues = 50_000;
/** Keys cost most. */
const mostKeys = 20_000;
/** From this size on, reading takes milliseconds. */
const large = 512 * 1024;

const lookedAtClosely = 32;

const [quote, backslash, comma, colon] = [34, 92, 44, 58];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/** A text that `readJson` refuses: it is not JSON, or it is JSON that would be costly or ambiguous to read. */
export class JsonRejectedError extends Error {
  override readonly name = 'JsonRefused';
  readonly kind: 'malformed' | 'repeated-key' | 'too-complex';

  constructor(kind: JsonRejectedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Reads JSON that somebody else wrote. Throws a `JsonRefused` before parsing a text that would keep everybody else waiting, and for
 * an object with the same key twice: another reader may take the other value.
 */
export function readJson(text: string): unknown {
  const keys = countKeys(text);
  return withKeys(parse(text), keys);
}

/** Whether reading takes so long that others should have their turn meanwhile. */
export function isLargeJson(text: string): boolean {
  return text.length >= large;
}

/** The same for a large text: everybody else gets a turn between the steps, each of which takes its time. */
export async function readLargeJson(text: string): Promise<unknown> {
  await otherTurns();
  const keys = countKeys(text);
  await otherTurns();
  const value = parse(text);
  await otherTurns();
  return withKeys(value, keys);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonRejectedError('malformed', 'this is not JSON');
  }
}

function withKeys(value: unknown, keys: number): unknown {
  if (keysIn(value) === keys) return value;
  throw new JsonRejectedError('repeated-key', 'an object has the same key twice');
}

/** How many keys the text has, if it is JSON. */
function countKeys(text: string): number {
  let [keys, values, depth] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at + 1);
        break;
      case colon:
        keys += 1;
        if (keys > mostKeys) throw tooComplex(`has more than ${mostKeys} keys`);
        break;
      case comma:
        values += 1;
        break;
      case openList:
      case openObject:
        values += 1;
        depth += 1;
        if (depth > deepest) throw tooComplex(`is nested deeper than ${deepest} levels`);
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        break;
    }
    if (values > mostValues) throw tooComplex(`has more than ${mostValues} values`);
  }
  return keys;
}

/** Looks at some letters one by one, which is best for short strings and for escapes, and leaps to the next quote from there. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    for (const near = at + lookedAtClosely; at < near; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) return at;
      if (code === backslash) at += 1;
    }
    const next = text.indexOf('"', at);
    if (next === -1) break;
    let first = next;
    while (first > at && text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((next - first) % 2 === 0) return next;
    at = next + 1;
  }
  return text.length;
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const each of value) keys += keysIn(each);
  else for (const each of Object.values(value)) keys += 1 + keysIn(each);
  return keys;
}

function tooComplex(problem: string): JsonRejectedError {
  return new JsonRejectedError('too-complex', `the text ${problem}`);
}
