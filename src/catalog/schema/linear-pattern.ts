import { createRequire } from 'node:module';
import { messageOf } from '../../core/errors.ts';

/** A regular expression that always runs in time linear in the length of the text. */
export interface LinearPattern {
  test(text: string): boolean;
}

const require = createRequire(import.meta.url);
/** The number of steps that the runtime's engine may take in total, or for each character of the text. */
const maxSteps = 10_000;
const maxStepsPerCharacter = 500;
const maxCached = 1000;
const cache = new Map<string, LinearPattern>();

/**
 * Compiles a pattern of a schema to a linear-time test. Uses the runtime's engine when the pattern cannot backtrack, else RE2.
 * Throws for patterns that have no linear form: invalid ones, backreferences, and lookaheads that are not at the beginning.
 */
export function linearPattern(pattern: string): LinearPattern {
  let known = cache.get(pattern);
  if (known === undefined) {
    known = compile(pattern);
    if (cache.size >= maxCached) cache.clear();
    cache.set(pattern, known);
  }
  return known;
}

function compile(pattern: string): LinearPattern {
  const native = nativePattern(pattern);
  if (cannotBacktrack(pattern)) return { test: (text) => native.test(text) };
  const { lookaheads, rest } = leadingLookaheads(pattern);
  try {
    const conditions = lookaheads.map(({ isNegative, inner }) => ({ isNegative, part: re2(`^(?:${inner})`) }));
    const main = re2(rest);
    if (conditions.length === 0) return main;
    return {
      test: (text) => conditions.every(({ isNegative, part }) => part.test(text) !== isNegative) && main.test(text),
    };
  } catch (error) {
    const shown = JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern);
    throw new Error(`its pattern ${shown} cannot be checked in linear time (${messageOf(error)})`, { cause: error });
  }
}

/** Compiles a pattern for the runtime's engine. Published schemas often contain escapes that only the non-Unicode syntax allows. */
function nativePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * Returns whether the runtime's engine is linear for a pattern. `*`, `+` and `{n,m}` each choose among as many lengths as the text has
 * characters, `?` and `|` between two paths, and a pattern without `^` among as many starts. A single choice of that kind is linear.
 */
function cannotBacktrack(pattern: string): boolean {
  if (/\)[*+?{]|\\[1-9k]/.test(pattern)) return false;
  const plain = pattern.replaceAll(/\\[^]/g, 'x').replaceAll(/\[[^\]]*\]/g, 'x');
  const repeats = countOf(plain, /[*+]|\{\d+,\d*\}/g);
  const choices = countOf(plain, /[?|]/g);
  const isAnchored = plain.startsWith('^') && !plain.includes('|');
  const counts = plain.match(/\{[\d,]*\}/g)?.flatMap((each) => each.slice(1, -1).split(',')) ?? [];
  const copies = counts.reduce((sum, count) => sum + Number(count), 0);
  const exponent = repeats + (isAnchored ? 0 : 1);
  // A single bounded repetition is scanned once from an anchor, whatever its length.
  const steps = 2 ** choices * (pattern.length + (isAnchored && repeats === 1 ? 0 : copies));
  return exponent <= 1 && steps <= (exponent === 0 ? maxSteps : maxStepsPerCharacter);
}

function countOf(text: string, part: RegExp): number {
  return text.match(part)?.length ?? 0;
}

interface Lookahead {
  readonly isNegative: boolean;
  readonly inner: string;
}

/** Splits `^(?=A)(?!B)C` into its lookaheads and `^C`. Each can be tested separately from the beginning of the text. */
function leadingLookaheads(pattern: string): { readonly lookaheads: readonly Lookahead[]; readonly rest: string } {
  const lookaheads: Lookahead[] = [];
  let rest = pattern;
  while (/^\^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest, 1);
    lookaheads.push({ isNegative: rest[3] === '!', inner: rest.slice(4, end) });
    rest = `^${rest.slice(end + 1)}`;
  }
  // The lookaheads would not apply to a top-level alternative.
  return lookaheads.length > 0 && hasTopAlternative(rest) ? { lookaheads: [], rest: pattern } : { lookaheads, rest };
}

function endOfGroup(pattern: string, start: number): number {
  for (const { at, depth, character } of syntaxOf(pattern))
    if (at > start && character === ')' && depth === 0) return at;
  return pattern.length;
}

function hasTopAlternative(pattern: string): boolean {
  for (const { depth, character } of syntaxOf(pattern)) if (character === '|' && depth === 0) return true;
  return false;
}

/** Yields the characters of a pattern that are neither escaped nor in a class, with their group depth. */
function* syntaxOf(
  pattern: string,
): Generator<{ readonly at: number; readonly depth: number; readonly character: string }> {
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') at += 1;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else {
      if (character === ')') depth -= 1;
      yield { at, depth, character };
      if (character === '(') depth += 1;
    }
  }
}

const whiteSpace =
  '\\t\\n\\x0b\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const knownEscapes = /[dDwWsSbBnrtvfpPcxu^$\\.*+?()[\]{}|/-]/;

/** Compiles a pattern with RE2, which is loaded on first use because most schemas do not need it. */
function re2(pattern: string): LinearPattern {
  const { RE2JS } = require('re2js') as typeof import('re2js');
  const compiled = RE2JS.compile(RE2JS.translateRegExp(inRe2Syntax(pattern)), RE2JS.LOOKBEHINDS);
  return { test: (text) => compiled.matcher(text).find() };
}

/** Rewrites the parts of a JavaScript pattern that RE2 interprets differently. */
function inRe2Syntax(pattern: string): string {
  let rewritten = '';
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '\\') {
      at += 1;
      rewritten += escapeInRe2(pattern.charAt(at), isInClass);
    } else if (isInClass) {
      // `[[:alpha:]]` is a POSIX class in RE2.
      rewritten += character === '[' ? '\\[' : character;
      isInClass = character !== ']';
    } else if (character === '[') {
      isInClass = true;
      rewritten += character;
      if (pattern.charAt(at + 1) === '^') {
        rewritten += '^';
        at += 1;
      }
      // The library's translation rewrites empty classes.
    } else rewritten += character === '.' ? '[^\\n\\r\\x{2028}\\x{2029}]' : character;
  }
  return rewritten;
}

function escapeInRe2(escaped: string, isInClass: boolean): string {
  // RE2 interprets some of these differently instead of rejecting them.
  if (/[1-9k]/.test(escaped)) throw new Error('it has a backreference');
  if (escaped === 's') return isInClass ? whiteSpace : `[${whiteSpace}]`;
  if (escaped === 'S' && !isInClass) return `[^${whiteSpace}]`;
  if (escaped === '0') return '\\x00';
  if (escaped === 'b' && isInClass) return '\\x08';
  return knownEscapes.test(escaped) || !/\w/.test(escaped) ? `\\${escaped}` : escaped;
}
