/** A shell takes `"`, `'` and `\` out of a word; in queries and JSON they are around it. */
const quotes = /\\(?=.)|["'`]/gs;
const quoted = /"([^"\n]*\s[^"\n]*)"|'([^'\n]*\s[^'\n]*)'/g;
const wordBreaks = /[\s;|&<>()`,={}]+/;
const percentCodes = /(?:%[0-9a-f]{2})+/gi;
const escapes = /\\(?:u\{?([0-9a-f]{4,6})\}?|x([0-9a-f]{2})|0?([0-7]{3}))/gi;
const ignoredCharacters = /\p{Default_Ignorable_Code_Point}/gu;
/** A text without any of these has one reading. */
const ambiguous = /[%\\"'`\u0080-\uffff]/;
const nonAscii = /[\u0080-\uffff]/;
const patchTargets =
  /^(?:\+\+\+|---|\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|rename (?:from|to)) +(?:[ab]\/)?(.+?)\t?.*$/gm;

/** Finds texts that hold the name of one of some files. Most texts hold none, so this decides which are split into words. */
export class NameSearch {
  readonly #names: RegExp;
  /** Paths that splitting into words would break, such as those with spaces. */
  readonly #unsplittable: readonly string[];

  /** `names` are not empty; `paths` are those of the files. */
  constructor(names: readonly string[], paths: readonly string[]) {
    this.#names = new RegExp(
      names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|') || '(?!)',
      'iu',
    );
    this.#unsplittable = paths.filter((path) => wordBreaks.test(path));
  }

  isIn(text: string): boolean {
    if (this.#names.test(text)) return true;
    return ambiguous.test(text) && readingsOf(text).some((reading) => this.#names.test(reading));
  }

  /** Returns the paths in a text that words do not show, each with the rest of its word. */
  *pathsIn(text: string): Generator<string> {
    for (const path of this.#unsplittable)
      for (const reading of readingsOf(text)) {
        const at = reading.toLowerCase().indexOf(path.toLowerCase());
        if (at !== -1) yield path + (reading.slice(at + path.length).split(wordBreaks, 1)[0] ?? '');
      }
  }
}

/**
 * Returns the words of a command, a patch, a query, an address or JSON, in each reading of the text, and what may be a path in a word:
 * behind an option (`-f/path`), `@` or a scheme, and before a query.
 */
export function* wordsOf(text: string): Generator<string> {
  for (const [, target = ''] of text.matchAll(patchTargets)) yield target;
  for (const [, double, single] of text.matchAll(quoted)) yield double ?? single ?? '';
  const seen = new Set<string>();
  for (const reading of readingsOf(text)) {
    // Braces separate words, except in this name.
    const plain = reading.replaceAll('${HOME}', '$HOME');
    for (const word of plain.split(wordBreaks)) {
      if (seen.has(word)) continue;
      seen.add(word);
      yield* partsOf(word);
    }
  }
}

function* partsOf(word: string): Generator<string> {
  yield word;
  if (word.startsWith('-') && word.length > 2) {
    yield word.slice(2);
    const start = word.search(/[/~.]/);
    if (start > 2) yield word.slice(start);
  }
  if (!/[:@?#[\]!]/.test(word)) return;
  yield* word.split(/[?#]/, 1);
  for (const part of word.split(/[:@?#[\]!]+/)) yield part;
}

/** Returns the forms in which programs may read a text: as written, decoded, and without quotes. */
function readingsOf(text: string): string[] {
  if (!ambiguous.test(text)) return [text];
  const readings = [text.replace(quotes, '')];
  let decoded = text;
  for (const decode of [decodePercent, decodePercent, decodeEscapes, foldCharacters]) {
    const before = decoded;
    decoded = decode(decoded);
    if (decoded !== before) readings.push(decoded.replace(quotes, ''));
  }
  return readings;
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(percentCodes, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString());
}

function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(escapes, (escape, unicode?: string, hex?: string, octal?: string) => {
    const code =
      unicode !== undefined || hex !== undefined ? parseInt(unicode ?? hex ?? '', 16) : parseInt(octal ?? '', 8);
    return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
  });
}

function foldCharacters(text: string): string {
  return nonAscii.test(text) ? text.normalize('NFKC').replace(ignoredCharacters, '') : text;
}
