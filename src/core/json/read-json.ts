import { setImmediate as yieldTurn } from 'node:timers/promises';
import { maxJsonDepth } from './json.ts';

/** `JSON.parse` takes seconds for a few megabytes of many small values, but not for a few long strings. */
const maxValues = 50_000;
/** Keys cost more than other values. */
const maxKeys = 20_000;
/** Parsing takes milliseconds from this size on. */
const minLargeLength = 512 * 1024;

/** The number of characters that are checked one by one before `indexOf`. */
const scanWindow = 32;

const [quote, backslash, comma, colon] = [34, 92, 44, 58];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/** SerializedError for a text that is not JSON, or that would be expensive or ambiguous to parse. */
export class JsonRejectedError extends Error {
  override readonly name = 'JsonRejectedError';
  readonly kind: 'malformed' | 'repeated-key' | 'too-complex';

  constructor(kind: JsonRejectedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Parses untrusted JSON. Throws a `JsonRejectedError` before it parses a text that would block the event loop, and for an object with a
 * repeated key, which another parser may read differently.
 */
export function readJson(text: string): unknown {
  const keys = countKeys(text);
  return checkKeyCount(parse(text), keys);
}

/** Returns whether a text is large enough for `readLargeJson`. */
export function isLargeJson(text: string): boolean {
  return text.length >= minLargeLength;
}

/** Like `readJson`, but yields to the event loop between the steps. */
export async function readLargeJson(text: string): Promise<unknown> {
  await yieldTurn();
  const keys = countKeys(text);
  await yieldTurn();
  const value = parse(text);
  await yieldTurn();
  return checkKeyCount(value, keys);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonRejectedError('malformed', 'the text is not valid JSON');
  }
}

function checkKeyCount(value: unknown, keys: number): unknown {
  if (keysIn(value) === keys) return value;
  throw new JsonRejectedError('repeated-key', 'an object has the same key twice');
}

/** Counts the keys in a text, provided that it is JSON. */
function countKeys(text: string): number {
  let [keys, values, depth] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at + 1);
        break;
      case colon:
        keys += 1;
        if (keys > maxKeys) throw tooComplex(`has more than ${maxKeys} keys`);
        break;
      case comma:
        values += 1;
        break;
      case openList:
      case openObject:
        values += 1;
        depth += 1;
        if (depth > maxJsonDepth) throw tooComplex(`is nested deeper than ${maxJsonDepth} levels`);
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        break;
    }
    if (values > maxValues) throw tooComplex(`has more than ${maxValues} values`);
  }
  return keys;
}

/** Scans a few characters one by one, which is fastest for short strings and escapes, then jumps to the next quote. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    for (const near = at + scanWindow; at < near; at += 1) {
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
