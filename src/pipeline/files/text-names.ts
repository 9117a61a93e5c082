import { normalize, sep } from 'node:path';
import type { JsonValue } from '../../core/json/json.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { decodePercent } from '../../policy/facts/fingerprints.ts';
import { decodeAnsiQuotes, markUncertainQuotes, mayMatch, quoteWork } from './ansi-quotes.ts';
import { foldName, ignoredCharacters } from './real-path.ts';

const backslashPath = /[\w.]\\+[\w.]/;
const maxExtensionLength = 64;
/** Quotes and escapes. A shell removes `"`, `'`, `\`, and the `$` of `$'…'` and `$"…"` from a word; in queries and JSON, quotes surround it. */
const quotes = /\\(?=.)|\$(?=["'])|["'`]/gs;
const quoted = /"([^"\n]*)"|'([^'\n]*)'/g;
/** Words with escaped spaces: `my\ file`. */
const escapedSpaces = /(?:[^\s\\]|\\\S)*(?:\\ (?:[^\s\\]|\\\S)*)+/g;
const continuations = /\\\r?\n/g;
const wordBreaks = /[\s;|&<>()`,={}]+/;
const escapes =
  /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|x([0-9a-fA-F]{1,2})|(0?[0-7]{2,3}))/g;
/** A text without any of these has one reading. */
const ambiguous = /[%\\"'`\u0080-\uffff]/;
const nonAscii = /[\u0080-\uffff]/;
const patchTargets =
  /^(?:\+\+\+|---|\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|rename (?:from|to)) +(?:[ab]\/)?([^\t\n]+)/gm;
const home = /(?:^|[\s;&|(){}`"'])(?:cd|pushd)(?:\s+-[\w-]*)*\s*(?:$|[;&|)}#])/;
/** A command or function that changes the directory: `cd -P "a b"`, `os.chdir('a')`, `Set-Location a`. */
const change =
  /(?:^|[^\w-])(?:l?cd|pushd|chdir|setwd|set-location|push-location|sl|z)(?![\w-])(?:\s+-[\w-]*)*[\s(]*((?:"[^"]*"|'[^']*'|\\[^]|[^\s;&|()<>"'\\])+)/gi;
const mayChange = /(?:^|[^\w-])(?:l?cd|pushd|chdir|setwd|set-location|push-location|sl|z)(?![\w-])/i;
/** Units of work, about 10 ns each, for a character. */
const unquoteWork = 3;
const changeWork = 8;
const climbing = /^\.\.(?:\/|$)/;
const maxClimb = 32;
const maxChanges = 500;
const maxOperandLength = 4096;
/** Braces separate words, except in the names of variables. */
const bracedVariables = /\$\{(\w+)\}/g;

/** Finds texts that contain the name of one of the given files. Only these texts, which are few, are split into words. */
export class NameSearch {
  readonly #list: readonly string[];
  readonly #names: RegExp;
  /** Paths that splitting into words would break, such as those with spaces. */
  readonly #unsplittable: readonly string[];
  readonly #parts: ReadonlySet<string>;
  /** The extensions of the parts, folded, each with the rest of their names. */
  readonly #stems: ReadonlyMap<string, ReadonlySet<string>>;

  /** `names` must not be empty strings; `paths` are the paths of the files. */
  constructor(names: readonly string[], paths: readonly string[]) {
    this.#list = names;
    this.#names = new RegExp(
      names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|') || '(?!)',
      'iu',
    );
    this.#unsplittable = paths.filter((path) => wordBreaks.test(path));
    this.#parts = new Set([...names, ...paths.flatMap((path) => path.split(sep))].map((name) => foldName(name)));
    const stems = new Map<string, Set<string>>();
    for (const part of this.#parts)
      for (let dot = part.indexOf('.'); dot !== -1; dot = part.indexOf('.', dot + 1))
        getOrInsert(stems, part.slice(dot + 1), () => new Set()).add(part.slice(0, dot));
    this.#stems = stems;
  }

  /** Returns the units of work, about 10 ns each, that `isIn` takes for a text at most. */
  workFor(text: string): number {
    if (!ambiguous.test(text)) return text.length >> 2;
    const readings = [/%/, /\\/, nonAscii].filter((each) => each.test(text)).length;
    return text.length * (2 + 2 * readings) + 2 * quoteWork(text);
  }

  /** Returns whether a folded name is one of the names, or a name in one of the paths. */
  isPart(folded: string): boolean {
    return this.#parts.has(folded);
  }

  /** Returns the paths to one of the names, or to a part of a path, that join a text and an extension among the texts. */
  joined(texts: readonly string[]): string[] {
    const found = new Map<string, ReadonlySet<string>>();
    for (const text of texts) {
      const extension = text.length > maxExtensionLength ? '' : foldName(text).replace(/^\./, '');
      const stems = this.#stems.get(extension);
      if (stems !== undefined) found.set(extension, stems);
    }
    if (found.size === 0) return [];
    return texts.flatMap((text) => {
      const stem = foldName(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1));
      return [...found].flatMap(([extension, stems]) => (stems.has(stem) ? `${text}.${extension}` : []));
    });
  }

  isIn(text: string): boolean {
    if (this.#names.test(text)) return true;
    return ambiguous.test(text) && readingsOf(text).some((reading) => this.#names.test(reading));
  }

  /** Returns whether a string or key in a value contains one of the names as written. */
  isWritten(value: JsonValue): boolean {
    if (typeof value === 'string') return this.#names.test(value);
    if (typeof value !== 'object' || value === null) return false;
    if (Array.isArray(value)) return value.some((each) => this.isWritten(each));
    return Object.entries(value).some(([key, each]) => this.#names.test(key) || this.isWritten(each));
  }

  /**
   * Returns whether a part of a path in a text may be one of the names, because it has an ANSI-C quote that shells may decode differently:
   * `certain` when the rest of the part agrees.
   */
  mayHideName(text: string): 'certain' | 'possible' | undefined {
    const marked = markUncertainQuotes(text)?.replaceAll(quotes, '');
    if (marked === undefined) return undefined;
    const found = marked
      .split(wordBreaks)
      .flatMap((word) => word.split(/[/:]/))
      .flatMap((part) => this.#list.map((name) => mayMatch(part, name)));
    return found.find((each) => each === 'certain') ?? found.find((each) => each === 'possible');
  }

  /** Yields the paths in a text that splitting into words would break, each with the rest of its word. */
  *pathsIn(text: string): Generator<string> {
    for (const path of this.#unsplittable)
      for (const reading of readingsOf(text)) {
        const position = reading.toLowerCase().indexOf(path.toLowerCase());
        if (position !== -1) yield path + (reading.slice(position + path.length).split(wordBreaks, 1)[0] ?? '');
      }
  }
}

/**
 * Yields the words of a command, a patch, a query, an address or JSON, in each reading of the text, and the parts of a word that may be
 * a path: after an option (`-f/path`), `@` or a scheme, and before a query.
 */
export function* shellWords(text: string): Generator<string> {
  for (const [, target = ''] of text.matchAll(patchTargets)) yield target;
  for (const [, double, single] of text.matchAll(quoted)) {
    const inner = double ?? single ?? '';
    if (/\s/.test(inner)) yield inner;
  }
  if (text.includes('\\ ')) for (const [word] of text.matchAll(escapedSpaces)) yield word.replaceAll(quotes, '');
  const seen = new Set<string>();
  // On Windows, `\` separates names.
  if (backslashPath.test(text)) for (const word of text.split(wordBreaks)) if (backslashPath.test(word)) yield word;
  for (const reading of readingsOf(text)) {
    const plain = reading.replaceAll(bracedVariables, (_, name: string) => `$${name}`);
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

/** Returns a text as a shell reads it: without quotes, escapes and continued lines. */
export function withoutQuotes(text: string): string {
  return ambiguous.test(text) ? text.replaceAll(continuations, '').replaceAll(quotes, '') : text;
}

/** Returns whether a command changes to the home directory without naming it. */
export function changesToHome(text: string): boolean {
  return home.test(withoutQuotes(text));
}

/**
 * Returns the directories that a text changes to; `undefined` when there are too many. A path that climbs is returned with fewer steps too,
 * because the command may start in a directory below the known ones.
 */
export function enteredDirectories(text: string, work: WorkBudget): readonly string[] | undefined {
  // The search takes about 1 ns for a character, and texts are limited in size, so it is not charged.
  const isQuoted = /["'\\]/.test(text);
  if (!isQuoted && !mayChange.test(text)) return [];
  if (isQuoted && !work.take(text.length * unquoteWork + quoteWork(text))) return undefined;
  const decoded = decodeAnsiQuotes(text);
  const plain = withoutQuotes(decoded);
  if (!mayChange.test(text) && !mayChange.test(plain)) return [];
  if (!work.take(text.length * changeWork)) return undefined;
  const entered = new Set(home.test(plain) ? ['~'] : []);
  let left = maxChanges;
  for (const reading of new Set([text, decoded, plain])) {
    let current = '';
    for (const [, operand = ''] of reading.matchAll(change)) {
      left -= 1;
      if (left < 0 || operand.length > maxOperandLength) return undefined;
      const target = withoutQuotes(operand);
      // Each change starts where the one before it led.
      current = current === '' || /^[/~$]/.test(target) ? target : `${current}/${target}`;
      if (current.length > maxOperandLength) return undefined;
      entered.add(operand).add(target).add(normalize(current));
      if (/^[./\\]*\.\./.test(target)) for (const each of shortened(target)) entered.add(each);
    }
  }
  return [...entered];
}

/** Yields a path with fewer and fewer steps up. */
function* shortened(path: string): Generator<string> {
  let rest = normalize(path.replaceAll('\\', '/'));
  for (let left = maxClimb; left > 0 && climbing.test(rest); left -= 1)
    yield (rest = rest.replace(climbing, '') || '.');
}

/** Returns the forms in which programs may read a text: as written, decoded, and without quotes. */
function readingsOf(text: string): string[] {
  if (!ambiguous.test(text)) return [text];
  const readings = [text.replace(quotes, '')];
  const unquoted = decodeAnsiQuotes(text);
  if (unquoted !== text) readings.push(unquoted.replace(quotes, ''));
  let decoded = text.includes('\\') ? text.replaceAll(continuations, '') : text;
  if (decoded !== text) readings.push(decoded.replace(quotes, ''));
  for (const decode of [decodePercent, decodePercent, decodeEscapes, foldCharacters]) {
    const before = decoded;
    decoded = decode(decoded);
    if (decoded !== before) readings.push(decoded.replace(quotes, ''));
  }
  return readings;
}

function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    escapes,
    (escape, braced?: string, short?: string, long?: string, hex?: string, octal = '') => {
      const digits = braced ?? short ?? long ?? hex;
      const code = digits === undefined ? parseInt(octal, 8) : parseInt(digits, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
    },
  );
}

function foldCharacters(text: string): string {
  return nonAscii.test(text) ? text.normalize('NFKC').replace(ignoredCharacters, '') : text;
}
