import { homedir, userInfo } from 'node:os';
import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { type Moved, movedByCommand, movesArgument } from './moved-directories.ts';
import type { Lookups } from './real-path.ts';
import { type NameSearch, wordsOf } from './text-names.ts';

/** The paths that the arguments of a call may name. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  /** The directories that relative paths start from. */
  readonly bases: ReadonlySet<string>;
  /** Places that are moved, removed or copied with everything in them. */
  readonly moved: ReadonlyMap<string, Pick<Moved, 'isCopy'>>;
  /** Whether the arguments hold more strings than are checked. */
  readonly isCut: boolean;
}

const maxStrings = 5000;
const maxPathLength = 4096;
const maxDirectories = 16;
/** A key that may be a path itself. */
const unusualKey = /[./\\~]/;
/** A string without any of these is a name in a directory. */
const unusualName = /[/\\~$:\0]|^\./;
const maxNameLength = 255;
const tooLongName = /[^/\\]{256}/;
const commandKeys = /^(?:command|cmd|commands|command_?line|cmd_?line|script|shell|bash|code|args|argv|patch|diff)$/i;
/** Texts that are stored or shown as they are: they may mention any file. */
const documentKeys =
  /^(?:contents?|(?:new|old|file|insert)_?(?:string|str|text|source|content)|body|(?:commit_?)?message|description|title|subject|summary|comment|markdown|html|prompt|plan|question|header|label|activeForm|thought|explanation)$/i;
const magicLink = /^\/+proc\/+(?:self|thread-self|\d+)(?:\/+task\/+\d+)?\/+(root|cwd)(?=\/|$)/;

/** A call's arguments, and how to look for paths in them. */
export interface SearchedArguments {
  readonly arguments: JsonObject;
  readonly tool: string;
  /** Whether places that are moved are of interest. */
  readonly mayMove: boolean;
  readonly bases: readonly string[];
  readonly names: NameSearch;
}

/**
 * Returns every path that a string of the arguments may name, relative ones from each base directory. A tool may take a path apart,
 * so directories among the arguments are bases too. Commands, patches, and other texts that hold one of the names are split into words,
 * unless they are documents.
 */
export function namedPaths(searched: SearchedArguments, files: Lookups): NamedPaths {
  const strings: FoundStrings = { named: new Set(), moved: new Map(), searched };
  collect(searched.arguments, '', strings);
  const paths = new Set<string>();
  const bases = new Set(searched.bases);
  for (const text of strings.named) addPaths(text, bases, paths);
  const isOne = strings.named.size === 1;
  const directories = isOne ? [] : [...paths].filter((path) => files.stat(path)?.isDirectory() === true);
  const more = new Set(directories.filter((path) => !bases.has(path)).slice(0, maxDirectories));
  if (more.size > 0) for (const text of strings.named) addPaths(text, more, paths);
  const moved = new Map<string, Pick<Moved, 'isCopy'>>();
  for (const [text, how] of strings.moved) {
    const places = new Set<string>();
    addPaths(text, new Set([...bases, ...more]), places);
    for (const place of places) moved.set(place, how);
  }
  return { paths, bases, moved, isCut: strings.named.size >= maxStrings };
}

interface FoundStrings {
  readonly named: Set<string>;
  readonly moved: Map<string, Pick<Moved, 'isCopy'>>;
  readonly searched: SearchedArguments;
}

/** Returns whether a string under a key can only be the name of an entry of a base directory. */
export function isBareName(text: string, key: string): boolean {
  return text.length <= maxNameLength && !unusualName.test(text) && !commandKeys.test(key) && text.trim() === text;
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

function collect(value: JsonValue, key: string, into: FoundStrings): void {
  if (into.named.size >= maxStrings) return;
  if (typeof value === 'string') addStrings(value, key, into);
  else if (Array.isArray(value)) for (const each of value) collect(each, key, into);
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) {
      if (unusualKey.test(name)) addStrings(name, '', into);
      collect(each, name, into);
    }
}

function addStrings(text: string, key: string, { named, moved, searched }: FoundStrings): void {
  add(text, named);
  if (documentKeys.test(key)) return;
  if (commandKeys.test(key) || searched.names.isIn(text)) {
    for (const path of searched.names.pathsIn(text)) add(path, named);
    for (const word of wordsOf(text)) {
      if (named.size >= maxStrings) return;
      add(word, named);
    }
  }
  if (!searched.mayMove) return;
  for (const { place, isCopy } of movedByCommand(text)) moved.set(place, { isCopy });
  const how = movesArgument(searched.tool, key);
  if (how !== undefined && text.length <= maxPathLength) moved.set(text, how);
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
