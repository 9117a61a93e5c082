import { resolve, sep } from 'node:path';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { type MovedPath, type MovingTool, destinationIn, movedByCommand, movingTool } from './moved-directories.ts';
import { maxNameLength, pathFormsOf } from './path-forms.ts';
import { type Lookups, foldName } from './real-path.ts';
import { type NameSearch, changesToHome, shellWords } from './text-names.ts';

/** The paths that the arguments of a call may name. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  /** The directories that relative paths are resolved from. */
  readonly bases: ReadonlySet<string>;
  /** Paths that are moved, removed or copied with everything in them. */
  readonly moved: ReadonlyMap<string, MoveKind>;
  /** Texts with quotes that may hide one of the names. */
  readonly unclear: readonly string[];
  /** Whether the arguments contain more than was checked. */
  readonly isIncomplete: boolean;
}

type MoveKind = Omit<MovedPath, 'path'>;

const maxStrings = 5000;
/** A key that may be a path itself. */
const unusualKey = /[./\\~]/;
/** A string without any of these is a name in a directory. */
const unusualName = /[/\\~$:\u0000-\u001f]|^\./;
const commandKeys = /^(?:command|cmd|commands|command_?line|cmd_?line|script|shell|bash|code|args|argv|patch|diff)$/i;
/** Keys of texts that are only stored or shown, and so may mention any file. */
const documentKeys =
  /^(?:contents?|(?:new|old|file|insert)_?(?:string|str|text|source|content)|body|(?:commit_?)?message|description|title|subject|summary|comment|markdown|html|prompt|plan|question|header|label|activeForm|thought|explanation)$/i;
/** With more names than this, listing a directory takes less time than looking each of them up. */
const minNamesToList = 16;

/** Units of work, about 10 ns each. */
const joinWork = 30;
const keyWork = 30;
const stringWork = 20;
const wordWork = 8;

/** A call's arguments, with the options for finding paths in them. */
export interface SearchedArguments {
  readonly arguments: JsonObject;
  readonly tool: string;
  /** Whether to collect paths that are moved. */
  readonly mayMove: boolean;
  readonly bases: readonly string[];
  readonly names: NameSearch;
}

/**
 * Returns every path that a string of the arguments may name, relative ones from each base directory. A tool may take a path apart,
 * and a command may change its directory, so directories among the arguments are bases too. Commands, patches, and other texts that hold
 * one of the names are split into words, unless they are documents.
 */
export function namedPaths(searched: SearchedArguments, files: Lookups, work: WorkBudget): NamedPaths {
  const strings = new StringCollector(searched, work);
  strings.collect(searched.arguments, '');
  const collector = new PathCollector(searched, files, work);
  for (const text of strings.named) if (!collector.add(text) && strings.words.has(text)) strings.isIncomplete = true;
  const bases = new Set(searched.bases);
  const directories = collector.resolve(bases, strings.named.size > 1);
  const moved = new Map<string, MoveKind>();
  for (const [text, kind] of strings.moved) {
    const { absolute, relative } = pathFormsOf(text, work);
    if (!work.take(stringWork * directories.length * (1 + relative.length))) break;
    const resolved = directories.flatMap((base) => relative.map((each) => resolve(base, each)));
    for (const path of [...absolute, ...resolved]) addMoved(moved, path, kind);
  }
  return {
    paths: collector.paths,
    bases,
    moved,
    unclear: strings.unclear,
    isIncomplete: strings.isIncomplete || work.isExceeded,
  };
}

/** Adds a moved path. A certain move takes precedence over an uncertain one. */
function addMoved(moved: Map<string, MoveKind>, path: string, kind: MoveKind): void {
  const known = moved.get(path);
  moved.set(path, {
    isCopy: kind.isCopy && known?.isCopy !== false,
    isUncertain: kind.isUncertain && known?.isUncertain !== false,
  });
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
  // A hot path: allocating a list of the entries would take most of the time.
  for (const key in object) if (holdsString(object[key] ?? null) || unusualKey.test(key)) return true;
  return false;
}

/** Collects the strings of the arguments that may name a file. */
class StringCollector {
  readonly named = new Set<string>();
  /** The words of texts that contain one of the names. */
  readonly words = new Set<string>();
  readonly moved = new Map<string, MoveKind>();
  readonly unclear: string[] = [];
  isIncomplete = false;
  readonly #searched: SearchedArguments;
  readonly #work: WorkBudget;
  readonly #texts = new Set<string>();
  readonly #tool: MovingTool | undefined;

  constructor(searched: SearchedArguments, work: WorkBudget) {
    this.#searched = searched;
    this.#work = work;
    this.#tool = searched.mayMove ? movingTool(searched.tool) : undefined;
  }

  collect(value: JsonValue, key: string, isMoved = this.#tool !== undefined): void {
    if (typeof value === 'string') this.#addText(value, key, isMoved);
    else if (typeof value !== 'object' || value === null) return;
    else if (Array.isArray(value)) {
      for (const each of value) this.collect(each, key, isMoved);
      this.#addJoined(value.filter((each) => typeof each === 'string'));
    } else {
      const object = value as JsonObject;
      const destination = this.#tool && destinationIn(this.#tool, object);
      for (const name in object) {
        if (!this.#charge(keyWork)) return;
        if (unusualKey.test(name)) this.#addText(name, '', isMoved);
        this.collect(object[name] ?? null, name, isMoved && name !== destination);
      }
      this.#addJoined(Object.values(object).filter((each) => typeof each === 'string'));
    }
  }

  /** Adds the guarded names that are spread over a name and an extension. */
  #addJoined(texts: readonly string[]): void {
    if (texts.length < 2 || !this.#charge(texts.length * joinWork)) return;
    for (const name of this.#searched.names.joined(texts)) this.#add(name);
  }

  #addText(text: string, key: string, isMoved: boolean): void {
    if (!this.#add(text) || documentKeys.test(key)) return;
    const isCommand = commandKeys.test(key);
    const { names, mayMove } = this.#searched;
    if (isMoved) addMoved(this.moved, text, { isCopy: this.#tool?.isCopy ?? false, isUncertain: false });
    const textKey = isCommand ? `!${text}` : `?${text}`;
    if (this.#texts.has(textKey)) return;
    this.#texts.add(textKey);
    if (!this.#charge(names.workFor(text))) return;
    const hidden = names.mayHideName(text);
    if (hidden === 'certain' || (hidden === 'possible' && isCommand)) this.unclear.push(text);
    const holdsName = names.isIn(text);
    if (isCommand || holdsName) this.#addWords(text, holdsName);
    if (!mayMove || !this.#charge(0)) return;
    for (const { path, ...kind } of movedByCommand(text, this.#work)) addMoved(this.moved, path, kind);
  }

  #addWords(text: string, holdsName: boolean): void {
    const { names } = this.#searched;
    if (!this.#charge(text.length * wordWork)) return;
    for (const path of names.pathsIn(text)) this.#add(path);
    // A command can change to the home directory without naming it.
    if (changesToHome(text)) this.#add('~');
    for (const word of shellWords(text)) {
      if (!this.#add(word)) return;
      if (holdsName && !/\s/.test(word) && names.isIn(word)) this.words.add(word);
    }
  }

  /** Returns false when no more strings are checked. */
  #add(text: string): boolean {
    if (!this.#charge(stringWork)) return false;
    if (text === '' || this.named.has(text)) return true;
    if (this.named.size >= maxStrings) {
      this.isIncomplete = true;
      return false;
    }
    this.named.add(text);
    return true;
  }

  #charge(units: number): boolean {
    if (this.isIncomplete) return false;
    if (!this.#work.take(units)) this.isIncomplete = true;
    return !this.isIncomplete;
  }
}

class PathCollector {
  readonly paths = new Set<string>();
  readonly #searched: SearchedArguments;
  readonly #files: Lookups;
  readonly #work: WorkBudget;
  /** Strings that are names in a directory. */
  readonly #bare: string[] = [];
  readonly #relative: string[] = [];
  #added: string[] = [];

  constructor(searched: SearchedArguments, files: Lookups, work: WorkBudget) {
    this.#searched = searched;
    this.#files = files;
    this.#work = work;
  }

  /** Returns false for a string that is longer than any path, even normalized. */
  add(text: string): boolean {
    if (isBareName(text, '')) {
      this.#bare.push(text);
      return true;
    }
    const { absolute, relative, isTooLong } = pathFormsOf(text, this.#work);
    for (const path of absolute) this.#addPath(path);
    this.#relative.push(...relative);
    return !isTooLong;
  }

  /**
   * Resolves the relative strings from each base, and from each directory that they lead to when there are several of them. Returns all of
   * these directories.
   */
  resolve(bases: ReadonlySet<string>, areSeveral: boolean): readonly string[] {
    const directories = [...bases];
    for (const base of bases) this.#resolveFrom(base);
    if (!areSeveral || this.#bare.length + this.#relative.length === 0) return directories;
    const known = new Set(directories.map((each) => this.#files.real(each)));
    while (this.#added.length > 0 && !this.#work.isExceeded) {
      const found = this.#added.filter((path) => this.#files.stat(path)?.isDirectory() === true);
      this.#added = [];
      for (const directory of found) {
        const real = this.#files.real(directory);
        if (known.has(real) || this.#work.isExceeded) continue;
        known.add(real);
        directories.push(directory);
        this.#resolveFrom(directory);
      }
    }
    return directories;
  }

  #resolveFrom(base: string): void {
    const start = base.endsWith(sep) ? base : base + sep;
    const isListed = this.#bare.length > minNamesToList && this.#mayList(base);
    for (const name of this.#bare) {
      if (!this.#work.take(stringWork)) return;
      if (!isListed || !this.#isAbsent(base, name)) this.#addPath(start + name);
    }
    for (const path of this.#relative) {
      if (!this.#work.take(stringWork + base.length + path.length)) return;
      this.#addPath(resolve(base, path));
      if (path.includes('..')) this.#addPath(start + path);
    }
  }

  /** Returns whether names that a directory does not have can be skipped: a protected file may be one that does not exist yet. */
  #mayList(base: string): boolean {
    const { names } = this.#searched;
    return !names.isPart('..') && !names.isIn(base);
  }

  #isAbsent(base: string, name: string): boolean {
    const folded = foldName(name);
    return !this.#searched.names.isPart(folded) && this.#files.lacks(base, folded);
  }

  #addPath(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    this.#added.push(path);
  }
}
