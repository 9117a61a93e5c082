import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { FingerprintSet } from './fingerprint-set.ts';
import { rollingHash, windowHashes } from './rolling-hash.ts';

const gramLength = 20;
const winnowingWindow = 5;
const maxOutputLength = 256 * 1024;
/** Arguments with more text than this are not searched but count as matches. */
export const maxSearchedLength = 128 * 1024;
/** A text may be encoded twice. */
const maxDecodings = 2;
/** Shorter text is not recognized, nor is anything that it decodes to. */
const minDecodedLength = 8;
const noise = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd]/g;

/**
 * Returns the fingerprints of a text, by which it is recognized without being stored: hashes of distinctive words (letters with digits,
 * mail addresses, long numbers) and, for running text, one of every five neighboring hashes of twenty letters and digits. Any part with at
 * least twenty-four letters and digits is found, whatever separates them and regardless of case.
 */
export function fingerprintsOf(text: string): Float64Array {
  const searched = text.slice(0, maxOutputLength);
  return Float64Array.from(wordHashes(searched).concat(winnow(gramHashes(searched))));
}

/** Returns the labels whose text reappears in the arguments, also encoded as base64, hex or for URLs. */
export function findLabelsOf(
  known: ReadonlyMap<string, Pick<FingerprintSet, 'isEmpty' | 'has'>>,
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
    if (length > maxSearchedLength) return new Set(sought.map(({ label }) => label));
  }
  // Joined, so that a value that is split across several arguments is still found.
  for (const text of decodings(texts.join('\n'))) {
    for (const prints of [wordHashes(text), gramHashes(text)])
      for (const print of prints) for (const each of sought) if (each.prints.has(print)) found.add(each.label);
    if (found.size === sought.length) break;
  }
  return found;
}

/** Yields a text and its decodings from percent-encoding, hex and base64, also when it was encoded twice. */
function* decodings(text: string): Generator<string> {
  yield text;
  let latest = [text];
  for (let round = 0; round < maxDecodings; round += 1) {
    latest = latest.flatMap(decode);
    yield* latest;
  }
}

function decode(text: string): string[] {
  const found: string[] = [];
  const withoutPercent = decodePercent(text);
  if (withoutPercent !== text) found.push(withoutPercent);
  // Characters before the encoded text may belong to the alphabet too, so every alignment is tried.
  found.push(
    ...decodeRuns(text, /[0-9a-f]{16,}/gi, 'hex', 2),
    ...decodeRuns(text, /[A-Za-z0-9+/_-]{11,}/g, 'base64', 4),
  );
  return found;
}

/** Returns, for each alignment, the decoded text of all runs of an alphabet. */
function decodeRuns(text: string, runs: RegExp, encoding: 'hex' | 'base64', alignments: number): string[] {
  const all = text.match(runs) ?? [];
  const found: string[] = [];
  for (let skip = 0; skip < alignments; skip += 1) {
    const pieces = all.flatMap((run) => toReadableText(Buffer.from(run.slice(skip), encoding)) ?? []);
    if (pieces.length > 0) found.push(pieces.join('\n'));
  }
  return found;
}

/** Decodes the percent-encoded parts of a text. Unlike `decodeURIComponent`, accepts any bytes. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString());
}

function toReadableText(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  // A wrong alignment produces noise, which is not worth searching.
  const found = text.replace(noise, '');
  return found.length >= minDecodedLength && found.length * 2 > text.length ? found : undefined;
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

function withoutMarks(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

const dateLike = /^(?:19|20)\d\d[-./]?\d\d[-./]?\d\d(?:t.*)?$/;

const word = /[\p{L}\p{N}@._+-]{8,256}/gu;
const number = /\d(?:[ ./-]?\d){8,40}/g;

/** Returns the hashes of mail addresses, words of letters and digits, and long numbers. */
function wordHashes(text: string): readonly number[] {
  const hashes: number[] = [];
  for (const found of text.toLowerCase().match(word) ?? []) {
    const isDistinctive = found.includes('@') || (/\p{N}/u.test(found) && /\p{L}/u.test(found));
    if (!isDistinctive || dateLike.test(found)) continue;
    const bare = withoutMarks(found);
    if (bare.length >= 8) hashes.push(rollingHash(bare));
  }
  for (const found of text.match(number) ?? [])
    if (!dateLike.test(found)) hashes.push(rollingHash(found.replace(/\D+/g, '')));
  return hashes;
}

function gramHashes(text: string): Float64Array {
  return windowHashes(withoutMarks(text.toLowerCase()), gramLength);
}

/** Returns the smallest of each five neighboring hashes (the last one of equals), so that texts with a common part select the same hashes. */
function winnow(hashes: Float64Array): readonly number[] {
  const chosen: number[] = [];
  const count = hashes.length;
  let smallest = -1;
  let least = -1;
  for (let end = Math.min(winnowingWindow, count); end > 0 && end <= count; end += 1) {
    const start = Math.max(0, end - winnowingWindow);
    const before = least;
    // While the smallest hash is in the window, only the new hash can replace it.
    const isInside = smallest >= start;
    let index = isInside ? end - 1 : start;
    if (!isInside) least = hashes[(smallest = start)] ?? 0;
    for (; index < end; index += 1) {
      const hash = hashes[index] ?? 0;
      if (hash > least) continue;
      smallest = index;
      least = hash;
    }
    if (least !== before) chosen.push(least);
  }
  return chosen;
}
