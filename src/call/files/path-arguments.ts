import { homedir, userInfo } from 'node:os';
import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Lookups } from './real-path.ts';

/** The paths that the arguments of a call may name. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  /** The directories that relative paths start from. */
  readonly bases: ReadonlySet<string>;
  /** Whether the arguments hold more strings than are checked. */
  readonly isCut: boolean;
}

const maxStrings = 5000;
const maxPathLength = 4096;
const maxDirectories = 16;
/** A key that may be a path itself. */
const unusualKey = /[./\\~]/;
/** A string without any of these is a name in a directory. */
const unusualName = /[/\\~$:]|^\./;
const maxNameLength = 255;
const tooLongName = /[^/\\]{256}/;
const commandKeys = /^(?:command|cmd|commands|command_?line|script|shell|bash|code|args|argv|patch|diff)$/i;
const wordBreaks = /[\s;|&<>()`,={}]+/;
const patchTargets =
  /^(?:\+\+\+|---|\*\*\* (?:Add|Update|Delete) File:|\*\*\* Move to:|rename (?:from|to)) +(?:[ab]\/)?(.+?)\t?.*$/gm;
const magicLink = /^\/+proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+(root|cwd)(?=\/|$)/;

/**
 * Returns every path that a string of the arguments may name, relative ones from each base directory. A tool may take a path apart,
 * so directories among the arguments are bases too. Commands and patches are split into words.
 */
export function namedPaths(args: JsonObject, bases: () => readonly string[], files: Lookups): NamedPaths {
  const strings = new Set<string>();
  collect(args, '', strings);
  const paths = new Set<string>();
  const found = new Set(bases());
  for (const text of strings) addPaths(text, found, paths);
  const directories = strings.size === 1 ? [] : [...paths].filter((path) => files.stat(path)?.isDirectory() === true);
  const more = new Set(directories.filter((path) => !found.has(path)).slice(0, maxDirectories));
  if (more.size > 0) for (const text of strings) addPaths(text, more, paths);
  return { paths, bases: found, isCut: strings.size >= maxStrings };
}

/** Returns whether arguments hold a string that may name a path. */
export function holdsString(value: JsonValue): boolean {
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((each) => holdsString(each));
  const object = value as JsonObject;
  // Every call passes here: a list of the entries would take most of the time.
  for (const key in object) if (holdsString(object[key] ?? null) || unusualKey.test(key)) return true;
  return false;
}

function collect(value: JsonValue, key: string, into: Set<string>): void {
  if (into.size >= maxStrings) return;
  if (typeof value === 'string') addStrings(value, key, into);
  else if (Array.isArray(value)) for (const each of value) collect(each, key, into);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      if (unusualKey.test(name)) addStrings(name, '', into);
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
    if (each !== '' && each.length <= maxPathLength && !each.includes('\0') && !hasTooLongName(each)) into.add(each);
}

function hasTooLongName(path: string): boolean {
  return path.length > maxNameLength && tooLongName.test(path);
}

function addPaths(text: string, bases: ReadonlySet<string>, into: Set<string>): void {
  if (unusualName.test(text)) for (const path of pathsOf(text, bases)) into.add(path);
  else for (const base of bases) into.add(base.endsWith(sep) ? base + text : base + sep + text);
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
