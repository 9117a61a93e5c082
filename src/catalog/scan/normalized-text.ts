import { sanitizeText } from '../transforms/sanitize-text.ts';

/** Letters of other alphabets that look like Latin letters. */
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: 'аɑα',
    b: 'Ьв',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еєε',
    g: 'ɡ',
    h: 'һн',
    i: 'іıι',
    j: 'ј',
    k: 'кκ',
    l: 'ӏ',
    m: 'м',
    n: 'ոη',
    o: 'оοօ',
    p: 'рρ',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    v: 'νѵ',
    w: 'ԝω',
    x: 'хχ',
    y: 'уγ',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
);
const lookalike = new RegExp(`[${Object.keys(lookalikes).join('')}]`, 'gu');
/** A word of Latin letters that contains a letter of another alphabet. */
const mixedWord =
  /(?:[a-z](?=[\p{L}]{0,30}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}])|[\p{Script=Cyrillic}\p{Script=Armenian}](?=[\p{L}]{0,30}[a-z]))\p{L}+/iu;
const encoded = /[A-Za-z0-9+/]{32,}={0,2}/g;
const maxDecoded = 20;
/** Spaced-out letters: `i g n o r e`. */
const spaced = /(?<![\p{L}\p{N}])(?:\p{L}[ .\-_*]{1,3}){5,}\p{L}(?![\p{L}\p{N}])/gu;

/** A text as a model understands it, in lower-case Latin letters, and the obfuscations that were found in it. */
export interface NormalizedText {
  readonly text: string;
  readonly tricks: readonly string[];
}

/** Returns a text without hidden characters, in compatibility form. Keeps the case of letters. */
export function visibleText(given: string): string {
  return sanitizeText(given).normalize('NFKC').replaceAll('’', "'");
}

/** Removes obfuscation that hides a phrase from detection: hidden and look-alike characters, spaced-out letters, Base64. */
export function normalizeText(given: string): NormalizedText {
  const tricks: string[] = [];
  const visible = visibleText(given);
  const parts = [visible, tagText(given)];
  if (mixedWord.test(visible)) tricks.push('mixes alphabets within words');
  for (const [index, run] of [...visible.matchAll(encoded)].entries()) {
    if (index >= maxDecoded) break;
    const decoded = decodedProse(run[0]);
    if (decoded === undefined) continue;
    tricks.push('contains encoded text');
    parts.push(decoded);
  }
  const text = parts
    .join('\n\n')
    .toLowerCase()
    .replace(lookalike, (letter) => lookalikes[letter] ?? letter)
    .replace(spaced, (letters) =>
      letters
        .replace(/ {2,}/g, '\t')
        .replace(/[ .\-_*]/g, '')
        .replaceAll('\t', ' '),
    );
  return { text, tricks: [...new Set(tricks)] };
}

/** Returns the text that is encoded in invisible tag characters. */
function tagText(given: string): string {
  const tags = given.match(/[\u{e0020}-\u{e007e}]/gu);
  return tags === null ? '' : tags.map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}

/** Decodes Base64; returns `undefined` unless the result is prose. */
function decodedProse(run: string): string | undefined {
  const text = Buffer.from(run, 'base64').toString('latin1');
  return /^[\n\x20-\x7e]+$/.test(text) && / /.test(text) ? text : undefined;
}
