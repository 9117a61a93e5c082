import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { decodePercent } from '../../policy/facts/fingerprints.ts';

/** The paths that one string may represent. */
export interface PathForms {
  readonly absolute: readonly string[];
  /** The paths resolved from every base directory of the tool. */
  readonly relative: readonly string[];
  /** Whether every form exceeds the limits of the system, even normalized. */
  readonly isTooLong: boolean;
}

const maxPathLength = 4096;
export const maxFileNameLength = 255;
/** A path of `maxPathLength` characters has no more names, so more `..` lead no further up. */
const maxParents = maxPathLength / 2;
/** Control characters, and spaces at an end. */
const strayCharacters = /[\u0000-\u001f]|^\s|\s$/;
const homeForm = /^(~[^/\\]*|\$HOME|\$\{HOME\})(?=$|[/\\])(.*)$/s;
const workingDirectoryForm = /^(?:~[+-]|\$\{?(?:OLD)?PWD\}?)(?=$|[/\\])/;
const magicLink = /^\/+proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+(root|cwd)(?=\/|$)/;
const repeatedSeparators = /\/(?:\.?\/)+/g;

/**
 * Returns the paths that a string may represent: as written, trimmed, with `~` or `file:` resolved, and with `\` as a separator. Limits of
 * length apply to the normalized path, because many programs normalize before they open a file.
 */
export function pathFormsOf(text: string, work: WorkBudget): PathForms {
  const absolute: string[] = [];
  const relative: string[] = [];
  let isWithinLimits = false;
  for (const form of formsOf(text))
    for (const path of formsWithinLimits(form, work)) {
      isWithinLimits = true;
      work.take(20 + path.length);
      if (isAbsolute(path)) addAbsolute(path, absolute, relative);
      else relative.push(path);
    }
  return { absolute, relative, isTooLong: !isWithinLimits && text !== '' };
}

function addAbsolute(path: string, absolute: string[], relative: string[]): void {
  absolute.push(resolve(path));
  // The system follows a link before it goes up; a program that normalizes the path does not.
  if (path.includes('..')) absolute.push(path);
  // These lead to another file in the process of the tool.
  const [link = '', kind] = magicLink.exec(path) ?? [];
  if (kind === undefined) return;
  const rest = `.${path.slice(link.length)}`;
  if (kind === 'root') addAbsolute(resolve('/', rest), absolute, relative);
  else relative.push(rest);
}

/** Yields a path as written when the system accepts its length, and else its normalized form when the system accepts that. */
function* formsWithinLimits(path: string, work: WorkBudget): Generator<string> {
  if (path === '') return;
  if (path.length <= maxFileNameLength || (path.length <= maxPathLength && !hasTooLongName(path))) return yield path;
  const normalized = normalizeFromEnd(path, work);
  if (normalized === undefined) return;
  yield normalized;
  // Some programs remove repeated separators alone, so `..` may still follow a link.
  work.take(path.length);
  const collapsed = path.replace(repeatedSeparators, '/');
  if (collapsed.includes('..') && collapsed.length <= maxPathLength && !hasTooLongName(collapsed)) yield collapsed;
}

function hasTooLongName(path: string): boolean {
  for (let start = 0; ;) {
    const found = path.indexOf(sep, start);
    const end = found === -1 ? path.length : found;
    if (end - start > maxFileNameLength) return true;
    if (found === -1) return false;
    start = found + 1;
  }
}

/**
 * Returns the normalized form of a path, or `undefined` when it is longer than the system accepts. The names at the end remain, so most
 * texts are recognized as too long after a few hundred characters.
 */
function normalizeFromEnd(path: string, work: WorkBudget): string | undefined {
  const names: string[] = [];
  let length = 0;
  let parents = 0;
  for (let end = path.length; end > 0;) {
    const start = path.lastIndexOf(sep, end - 1) + 1;
    const size = end - start;
    const name = size > 2 ? '' : path.slice(start, end);
    if (!work.take(5 + (size >> 8))) return undefined;
    end = start - 1;
    if (size === 0 || name === '.') continue;
    if (name === '..') parents += 1;
    else if (parents > 0) parents -= 1;
    else {
      length += size + 1;
      if (size > maxFileNameLength || length > maxPathLength) return undefined;
      names.push(path.slice(start, start + size));
    }
  }
  if (!isAbsolute(path)) for (let left = Math.min(parents, maxParents); left > 0; left -= 1) names.push('..');
  return (isAbsolute(path) ? sep : '') + (names.toReversed().join(sep) || (isAbsolute(path) ? '' : '.'));
}

function* formsOf(text: string): Generator<string> {
  if (!strayCharacters.test(text)) return yield* plainFormsOf(text);
  // A program in C reads up to the first NUL; others reject the text or remove it.
  const nul = text.indexOf('\0');
  const read = nul === -1 ? text : text.slice(0, nul);
  for (const form of new Set([read, read.trim(), ...(nul === -1 ? [] : [text.replaceAll('\0', '')])]))
    yield* plainFormsOf(form);
}

function* plainFormsOf(text: string): Generator<string> {
  yield text;
  const [, home, rest = ''] = homeForm.exec(text) ?? [];
  if (home !== undefined) yield homeOf(home) + rest;
  if (workingDirectoryForm.test(text)) yield text.replace(workingDirectoryForm, '.');
  if (isFileUrl(text)) yield* pathsOfUrl(cleanUrl(text));
  if (text.includes('\\') && !isAbsolute('C:\\')) yield text.replaceAll('\\', sep);
}

/** Returns the home directory that a shell substitutes for a word. Home directories of other users are assumed to be siblings. */
function homeOf(word: string): string {
  const home = homedir();
  const user = word.startsWith('~') ? word.slice(1) : '';
  if (user === '' || user === userName()) return home;
  return user === 'root' ? '/root' : join(dirname(home), user);
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user has no entry in the password database.
    return undefined;
  }
}

/** Returns whether a URL parser reads a text as a `file:` URL. Parsers ignore leading spaces and controls, and tabs and line breaks anywhere. */
function isFileUrl(text: string): boolean {
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\t' || character === '\n' || character === '\r' || (matched === 0 && character <= ' ')) continue;
    if (character.toLowerCase() !== 'file:'.charAt(matched)) return false;
    matched += 1;
    if (matched === 5) return true;
  }
  return false;
}

function cleanUrl(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charAt(start) <= ' ') start += 1;
  while (end > start && text.charAt(end - 1) <= ' ') end -= 1;
  return text.slice(start, end).replaceAll(/[\t\n\r]/g, '');
}

function* pathsOfUrl(url: string): Generator<string> {
  const rest = url
    .slice('file:'.length)
    .replaceAll('\\', '/')
    .replace(/^\/\/[^/]*/, '');
  yield rest;
  const decoded = decodePercent(rest);
  if (decoded !== rest) yield decoded;
  try {
    const parsed = new URL(url);
    parsed.host = '';
    yield fileURLToPath(parsed);
  } catch {
    // Not a valid URL: the plain forms remain.
  }
}
