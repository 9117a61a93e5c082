/** A key or a value in a JSON text; arrays and objects are not tokens, their parts are. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'number' | 'literal';
  /** The source text of the token, including quotes and escapes. */
  readonly source: string;
  /** The key that this value belongs to, directly or as an element of an array. */
  readonly key: string | undefined;
  /** Position of the token in the text. */
  readonly start: number;
}

/**
 * Rewrites the tokens of a valid JSON text and leaves everything else unchanged.
 * Works on the text, not on a parsed value, to preserve the notation of numbers and the order of keys at any depth.
 */
export function rewriteJsonTokens(text: string, rewrite: (token: JsonToken) => string): string {
  const outerKeys: (string | undefined)[] = [];
  let key: string | undefined;
  let result = '';
  let copied = 0;
  let position = 0;
  while (position < text.length) {
    const character = text[position];
    if (character === '{' || character === '[') outerKeys.push(key);
    if (character === '}' || character === ']') key = outerKeys.pop();
    const end = tokenEnd(text, position);
    if (end === position) {
      position += 1;
      continue;
    }
    const source = text.slice(position, end);
    const kind = kindOf(text, position, end);
    if (kind === 'key') key = decodeJsonString(source);
    const rewritten = rewrite({ kind, source, key: kind === 'key' ? undefined : key, start: position });
    if (rewritten !== source) {
      result += text.slice(copied, position) + rewritten;
      copied = end;
    }
    position = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Returns whether a text is a JSON object, array or string. */
export function isJsonDocument(text: string): boolean {
  return /^\s*[[{"]/.test(text) && isJson(text);
}

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Decodes a JSON string token. */
export function decodeJsonString(source: string): string {
  return source.includes('\\') ? String(JSON.parse(source)) : source.slice(1, -1);
}

const scalarPattern = /[-+.0-9A-Za-z]+/y;
const colonAhead = /\s*:/y;

/** Returns the end of the token at a position, or the position itself when no token begins there. */
function tokenEnd(text: string, position: number): number {
  if (text[position] === '"') return stringEnd(text, position);
  scalarPattern.lastIndex = position;
  return scalarPattern.test(text) ? scalarPattern.lastIndex : position;
}

function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

function kindOf(text: string, start: number, end: number): JsonToken['kind'] {
  const character = text[start] ?? '';
  if (character === '"') {
    colonAhead.lastIndex = end;
    return colonAhead.test(text) ? 'key' : 'string';
  }
  return character === '-' || (character >= '0' && character <= '9') ? 'number' : 'literal';
}
