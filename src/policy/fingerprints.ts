import type { JsonObject, JsonValue } from '../model/json.ts';
import { decodings } from './decodings.ts';
import { RecentSet } from './recent-set.ts';
import { hashOf, windowHashes } from './rolling-hash.ts';

const gram = 20;
const window = 5;
const mostPrints = 65_536;
const longestOutput = 256 * 1024;
/** Arguments of more text than this are not searched but taken for found. */
const longestSearched = 128 * 1024;

/**
 * Recognises text that was seen before, without keeping it. Kept are hashes of distinctive words (letters with digits, mail
 * addresses, long numbers) and, of running text, one hash out of every five neighbouring runs of twenty letters and digits:
 * any part of at least twenty-four of them is found again, whatever stands between them and however they are capitalised.
 */
export class Fingerprints {
  readonly #prints = new RecentSet<number>(mostPrints);
  #isEmpty = true;

  add(text: string): void {
    const searched = text.slice(0, longestOutput);
    this.#isEmpty = false;
    for (const print of wordHashes(searched)) this.#prints.add(print);
    for (const print of winnowed(gramHashes(normal(searched)))) this.#prints.add(print);
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  has(print: number): boolean {
    return this.#prints.has(print);
  }
}

/** The labels whose text stands in the arguments; also where it is encoded as base64, hex or for URLs. */
export function recognised(
  known: ReadonlyMap<string, Pick<Fingerprints, 'isEmpty' | 'has'>>,
  args: JsonObject,
): ReadonlySet<string> {
  const sought = [...known].flatMap(([label, prints]) => (prints.isEmpty ? [] : { label, prints }));
  const found = new Set<string>();
  if (sought.length === 0) return found;
  const texts: string[] = [];
  let length = 0;
  for (const text of textsIn(args)) {
    texts.push(text);
    length += text.length;
    if (length > longestSearched) return new Set(sought.map(({ label }) => label));
  }
  // Joined, so that a value that was spread over several arguments is still found.
  for (const text of decodings(texts.join('\n'))) {
    for (const prints of [wordHashes(text), gramHashes(normal(text))])
      for (const print of prints) for (const each of sought) if (each.prints.has(print)) found.add(each.label);
    if (found.size === sought.length) break;
  }
  return found;
}

function* textsIn(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value)) for (const each of value) yield* textsIn(each as JsonValue);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value as JsonObject)) {
      yield key;
      yield* textsIn(each);
    }
  }
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

const dateLike = /^(?:19|20)\d\d[-./]?\d\d[-./]?\d\d(?:t.*)?$/;

function* distinctiveWords(text: string): Generator<string> {
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}@._+-]{8,256}/gu)) {
    const isTelling = word.includes('@') || (/\p{L}/u.test(word) && /\p{N}/u.test(word));
    if (isTelling && !dateLike.test(word)) {
      const bare = normal(word);
      if (bare.length >= 8) yield bare;
    }
  }
  for (const [number] of text.matchAll(/\d(?:[ ./-]?\d){8,40}/g)) {
    if (!dateLike.test(number)) yield number.replace(/\D/g, '');
  }
}

function wordHashes(text: string): readonly number[] {
  return Array.from(distinctiveWords(text), hashOf);
}

function gramHashes(text: string): readonly number[] {
  return windowHashes(text, gram);
}

/** Of each five neighbouring hashes the smallest, the last of equals: what two texts share, they choose alike. */
function* winnowed(hashes: readonly number[]): Generator<number> {
  const count = hashes.length;
  if (count < 1) return;
  let chosen = -1;
  for (let start = 0; start === 0 || start + window <= count; start += 1) {
    let smallest = start;
    for (let index = start; index < Math.min(start + window, count); index += 1)
      if ((hashes[index] ?? 0) <= (hashes[smallest] ?? 0)) smallest = index;
    if (smallest === chosen) continue;
    chosen = smallest;
    yield hashes[smallest] ?? 0;
  }
}
