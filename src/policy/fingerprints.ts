import type { JsonObject, JsonValue } from '../model/json.ts';
import { decodings } from './decodings.ts';
import { RecentSet } from './recent-set.ts';

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
    for (const word of distinctiveWords(searched)) this.#prints.add(hashOf(word, 0, word.length));
    for (const print of winnowed(normal(searched))) this.#prints.add(print);
  }

  /** Looks through all text of the arguments, also where it is encoded as base64, hex or for URLs. */
  foundIn(args: JsonObject): boolean {
    if (this.#isEmpty) return false;
    const texts: string[] = [];
    let length = 0;
    for (const text of textsIn(args)) {
      texts.push(text);
      length += text.length;
      if (length > longestSearched) return true;
    }
    // Joined, so that a value that was spread over several arguments is still found.
    return decodings(texts.join('\n')).some((text) => this.#isIn(text));
  }

  #isIn(text: string): boolean {
    for (const word of distinctiveWords(text)) if (this.#prints.has(hashOf(word, 0, word.length))) return true;
    const searched = normal(text);
    for (let start = 0; start + gram <= searched.length; start += 1)
      if (this.#prints.has(hashOf(searched, start, start + gram))) return true;
    return false;
  }
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

/** Of each five neighbouring hashes the smallest, the last of equals: what two texts share, they choose alike. */
function* winnowed(text: string): Generator<number> {
  const count = text.length - gram + 1;
  if (count < 1) return;
  const hashes = Array.from({ length: count }, (_, start) => hashOf(text, start, start + gram));
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

/** 53 bits: with the most that is kept, a search through the longest arguments finds something by chance once in 500,000 times. */
function hashOf(text: string, start: number, end: number): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 13;
  }
  high ^= high >>> 15;
  return (high >>> 0) * 0x200000 + (low >>> 11);
}
