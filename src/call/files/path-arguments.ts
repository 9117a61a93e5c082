import { homedir, userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { statOf } from './real-path.ts';

/** The paths that the arguments of a call may name. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  /** Whether the arguments hold more strings than are checked. */
  readonly isCut: boolean;
}

const maxStrings = 5000;
const maxPathLength = 4096;
const maxDirectories = 16;
const tooLongName = /[^/\\]{256}/;
const commandKeys = /^(?:command|cmd|commands|command_?line|script|shell|bash|code|args|argv|patch|diff)$/i;
const wordBreaks = /[\s;|&<>()`,={}]+/;
const patchTargets = /^(?:\+\+\+|---|\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|rename (?:from|to)) +(?:[ab]\/)?(.+?)\t?.*$/gm;
const magicLink = /^\/+proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+(root|cwd)(?=\/|$)/;

/**
 * Returns every path that a string of the arguments may name, relative ones from each base directory. A tool may take a path apart,
 * so directories among the arguments are bases too. Commands and patches are split into words.
 */
export function namedPaths(args: JsonObject, bases: () => readonly string[]): NamedPaths {
  const strings = new Set<string>();
  collect(args, '', strings);
  const paths = new Set<string>();
  if (strings.size === 0) return { paths, isCut: false };
  const found = new Set(bases());
  for (const text of strings) for (const path of pathsOf(text, found)) paths.add(path);
  const directories = strings.size === 1 ? [] : [...paths].filter((path) => statOf(path)?.isDirectory() === true);
  const more = directories.filter((path) => !found.has(path)).slice(0, maxDirectories);
  if (more.length > 0) for (const text of strings) for (const path of pathsOf(text, new Set(more))) paths.add(path);
  return { paths, isCut: strings.size >= maxStrings };
}

function collect(value: JsonValue, key: string, into: Set<string>): void {
  if (into.size >= maxStrings) return;
  if (typeof value === 'string') addStrings(value, key, into);
  else if (Array.isArray(value)) for (const each of value) collect(each, key, into);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      if (/[./\\~]/.test(name)) addStrings(name, '', into);
      collect(each, name, into);
    }
}

function addStrings(text: string, key: string, into: Set<string>): void {
  add(text, into);
  if (!commandKeys.test(key)) return;
  for (const [, target = ''] of text.matchAll(patchTargets)) add(target, into);
  // A shell takes quotes and backslashes out of a word.
  for (const word of text.replace(/\\(?=.)|["']/g, '').split(wordBreaks)) {
    add(word, into);
    if (word.includes(':')) for (const part of word.split(':')) add(part, into);
  }
}

function add(text: string, into: Set<string>): void {
  const trimmed = text.trim();
  for (const each of text === trimmed ? [text] : [text, trimmed])
    if (each !== '' && each.length <= maxPathLength && !each.includes('\0') && !tooLongName.test(each)) into.add(each);
}

/** Returns the paths that one string may stand for. */
function* pathsOf(text: string, bases: ReadonlySet<string>): Generator<string> {
  for (const form of formsOf(text)) {
    if (isAbsolute(form)) yield* absolutePaths(form, bases);
    else
      for (const base of bases) {
        yield resolve(base, form);
        // The system follows a link before it goes up; a program that normalizes the path does not.
        if (form.includes('..')) yield `${base}/${form}`;
      }
  }
}

function* absolutePaths(path: string, bases: ReadonlySet<string>): Generator<string> {
  yield resolve(path);
  if (path.includes('..')) yield path;
  // These lead somewhere else in the process of the tool than they do here.
  const [link = '', kind] = magicLink.exec(path) ?? [];
  if (kind === undefined) return;
  const rest = path.slice(link.length);
  for (const base of kind === 'root' ? ['/'] : bases) yield* absolutePaths(resolve(base, `.${rest}`), bases);
}

function* formsOf(text: string): Generator<string> {
  yield text;
  const [, home, rest] = /^(~[^/\\]*|\$HOME|\$\{HOME\})(?=$|[/\\])(.*)$/s.exec(text) ?? [];
  if (home !== undefined && isOwnHome(home)) yield homedir() + rest;
  if (/^file:/i.test(text)) {
    yield text.slice('file:'.length).replace(/^\/\/[^/]*/, '');
    const path = pathOfUrl(text);
    if (path !== undefined) yield path;
  }
  if (text.includes('\\') && !isAbsolute('C:\\')) yield text.replaceAll('\\', '/');
}

/** Returns whether a shell takes this for the home directory of this user. */
function isOwnHome(text: string): boolean {
  if (!/^~./.test(text)) return true;
  try {
    return text === `~${userInfo().username}`;
  } catch {
    // The user has no entry in the system's list.
    return false;
  }
}

function pathOfUrl(text: string): string | undefined {
  try {
    const url = new URL(text);
    url.host = '';
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
