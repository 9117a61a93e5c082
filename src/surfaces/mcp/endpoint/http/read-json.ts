import { Refusal, wireCodes } from '../wire.ts';

/** As deep as arguments may be. */
const deepest = 256;
/** `JSON.parse` takes seconds for some texts of a few megabytes, but not for those that are mostly strings. */
const mostValues = 50_000;
/** Keys cost most. */
const mostKeys = 20_000;

const [quote, backslash, comma, colon] = [34, 92, 44, 58];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/**
 * Reads JSON of a stranger: what would keep everybody else waiting is refused before it is parsed, and so is an object with the same
 * key twice, of which whoever stands between us may have looked at the other one.
 */
export function readJson(text: string): unknown {
  const keys = countKeys(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400, wireCodes.parse, 'the body is not JSON');
  }
  if (keysIn(value) !== keys) throw new Refusal(400, wireCodes.parse, 'an object in the body has the same key twice');
  return value;
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
        if (keys > mostKeys) throw refusal(`has more than ${mostKeys} keys`);
        break;
      case comma:
        values += 1;
        break;
      case openList:
      case openObject:
        values += 1;
        depth += 1;
        if (depth > deepest) throw refusal(`is nested deeper than ${deepest} levels`);
        break;
      case closeList:
      case closeObject:
        depth -= 1;
        break;
    }
    if (values > mostValues) throw refusal(`has more than ${mostValues} values`);
  }
  return keys;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
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

function refusal(problem: string): Refusal {
  return new Refusal(400, wireCodes.request, `the body ${problem}`);
}
