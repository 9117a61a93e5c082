import { normalize, resolve, sep } from 'node:path';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import {
  type MovedPath,
  type MovingTool,
  destinationIn,
  movedByCommand,
  movedByWords,
  movingTool,
} from './moved-directories.ts';
import type { DirectoryListings } from './directory-listings.ts';
import { maxFileNameLength, pathFormsOf } from './path-forms.ts';
import { type Lookups, foldName } from './real-path.ts';
import type { Visited } from './visited-directories.ts';
import { type NameSearch, changesToHome, enteredDirectories, shellWords } from './text-names.ts';

/** The paths that the arguments of a call may name. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>;
  /** Those of the paths that are only a directory of an earlier call, or one above it: `.` and `..`. */
  readonly unnamed: ReadonlySet<string>;
  /** The directories that relative paths are resolved from. */
  readonly bases: ReadonlySet<string>;
  /** Paths that are moved, removed or copied with everything in them. */
  readonly moved: ReadonlyMap<string, MoveKind>;
  /** The strings that are relative paths. */
  readonly relative: readonly string[];
  /** Whether relative paths may start from a directory that was not checked. */
  readonly isAnywhere: boolean;
  /** The directories that later calls may start from. */
  readonly entered: ReadonlySet<string>;
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

/** With more directories than this, only those names are resolved that a directory has. */
const maxFullyResolved = 16;
const programKeys = /^(?:command|cmd|program|executable|binary|exec)$/i;
const operandKeys =
  /^(?:args?|argv|arguments|params?|parameters|operands?|paths?|files?|targets?|sources?|src|dest|dst)$/i;
const maxProgramWords = 50;
const onlyDots = /^[./]*$/;
/** `../` at the start of a normalized path, and the rest. */
const climbForm = /^((?:\.\.(?:\/|$))*)(.*)$/s;

/** Units of work, about 10 ns each. */
/** The work that is left for the checks after those of earlier directories. */
const minWorkLeft = 1_000_000;
const followWork = 4000;
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
  /** The directories of earlier calls. */
  readonly visited: Visited;
  readonly names: NameSearch;
  /** Returns whether a directory contains guarded files, or is inside one, by its folded path. */
  readonly isNear: (folded: string) => boolean;
  readonly listings: DirectoryListings;
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
    for (const path of absolute) addMoved(moved, path, kind);
    for (const base of directories) {
      // The tool need not be in the directory of an earlier call.
      const isUncertain = kind.isUncertain || (searched.visited.directories.has(base) && !bases.has(base));
      for (const each of relative) addMoved(moved, resolve(base, each), { ...kind, isUncertain });
    }
  }
  const { relative, bare, paths, unnamed } = collector;
  return {
    paths,
    unnamed,
    bases,
    moved,
    relative: [...relative, ...bare],
    isAnywhere: searched.visited.isFull || collector.isAnywhere,
    entered: collector.entered(strings, bases, directories),
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
  return text.length <= maxFileNameLength && !unusualName.test(text) && !commandKeys.test(key) && text.trim() === text;
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
  /** Whole arguments, any of which may change the directory of later calls. */
  readonly entered = new Set<string>();
  /** Operands of `cd`. */
  readonly changed = new Set<string>();
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
      if (commandKeys.test(key)) this.#addMovedBy(value.filter((each) => typeof each === 'string'));
    } else {
      const object = value as JsonObject;
      const destination = this.#tool && destinationIn(this.#tool, object);
      for (const name in object) {
        if (!this.#charge(keyWork)) return;
        if (unusualKey.test(name)) this.#addText(name, '', isMoved);
        this.collect(object[name] ?? null, name, isMoved && name !== destination);
      }
      this.#addJoined(Object.values(object).filter((each) => typeof each === 'string'));
      this.#addProgram(object);
    }
  }

  /** Adds what a program moves whose operands are under other keys: `{ "command": "rm", "args": ["-rf", "dir"] }`. */
  #addProgram(object: JsonObject): void {
    const program = Object.keys(object).find((name) => programKeys.test(name));
    const text = program === undefined ? undefined : object[program];
    if (typeof text !== 'string') return;
    const operands = Object.keys(object)
      .filter((name) => name !== program && operandKeys.test(name))
      .flatMap((name) => [object[name] ?? null].flat())
      .filter((each) => typeof each === 'string');
    if (operands.length > 0) this.#addMovedBy([...text.split(/\s+/, maxProgramWords), ...operands]);
  }

  #addMovedBy(words: readonly string[]): void {
    if (!this.#searched.mayMove || !this.#charge(words.length * joinWork)) return;
    for (const { path, ...kind } of movedByWords(words)) addMoved(this.moved, path, kind);
  }

  /** Adds the guarded names that are spread over a name and an extension. */
  #addJoined(texts: readonly string[]): void {
    if (texts.length < 2 || !this.#charge(texts.length * joinWork)) return;
    for (const name of this.#searched.names.joined(texts)) this.#add(name);
  }

  #addText(text: string, key: string, isMoved: boolean): void {
    if (!this.#add(text) || documentKeys.test(key)) return;
    this.entered.add(text);
    const entered = enteredDirectories(text, this.#work);
    if (entered === undefined) {
      this.isIncomplete = true;
      return;
    }
    for (const each of entered) if (this.#add(each)) this.changed.add(each);
    const isCommand = commandKeys.test(key) || entered.length > 0;
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
  /** Those of the paths that are only a directory of an earlier call, or one above it. */
  readonly unnamed = new Set<string>();
  /** The strings that are relative paths. */
  readonly relative = new Set<string>();
  /** Whether not every directory of earlier calls was checked. */
  isAnywhere = false;
  readonly #searched: SearchedArguments;
  readonly #files: Lookups;
  readonly #work: WorkBudget;
  /** Strings that are names in a directory. */
  readonly #bare = new Set<string>();
  /** Directories that contain guarded files, or are inside one. */
  readonly #near = new Map<string, boolean>();
  readonly #names = new Map<string, ReadonlySet<string> | undefined>();
  #added: string[] = [];
  /** The number of paths from the bases. */
  #namedSize = 0;

  constructor(searched: SearchedArguments, files: Lookups, work: WorkBudget) {
    this.#searched = searched;
    this.#files = files;
    this.#work = work;
  }

  /** Returns false for a string that is longer than any path, even normalized. */
  add(text: string): boolean {
    if (isBareName(text, '')) {
      this.#bare.add(text);
      return true;
    }
    const { absolute, relative, isTooLong } = pathFormsOf(text, this.#work);
    for (const path of absolute) this.#addPath(path);
    for (const path of relative) this.relative.add(path);
    return !isTooLong;
  }

  /** Returns the strings that are names in a directory. */
  get bare(): ReadonlySet<string> {
    return this.#bare;
  }

  /**
   * Resolves the relative strings from each base and each directory of earlier calls, and from each directory that they lead to when there
   * are several of them. Returns all of these directories.
   */
  resolve(bases: ReadonlySet<string>, areSeveral: boolean): readonly string[] {
    for (const base of bases) this.#resolveFrom(base);
    const visited = [...this.#searched.visited.directories].filter((each) => !bases.has(each));
    const directories = [...bases, ...visited];
    const named = this.#added;
    this.#namedSize = this.paths.size;
    this.#added = [];
    for (const directory of visited) if (!this.#resolveFromVisited(directory)) break;
    this.#added.push(...named);
    if (!areSeveral || this.#bare.size + this.relative.size === 0) return directories;
    const known = new Set(directories.map((each) => (bases.has(each) ? this.#files.real(each) : each)));
    while (this.#added.length > 0 && !this.#work.isExceeded) {
      const found = this.#added.filter((path) => this.#files.stat(path)?.isDirectory() === true);
      this.#added = [];
      for (const directory of found) {
        const real = this.#files.real(directory);
        if (known.has(real) || this.#work.isExceeded) continue;
        known.add(real);
        directories.push(directory);
        if (directories.length <= maxFullyResolved) this.#resolveFrom(directory);
        else this.#resolveFromVisited(directory);
      }
    }
    return directories;
  }

  /**
   * Returns the directories that later calls may start from: those that an argument or an operand of `cd` leads to. Other words of a
   * command do not count, because any of them may be `/`.
   */
  entered(strings: StringCollector, bases: ReadonlySet<string>, directories: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    const starts = [...bases, ...this.#searched.visited.directories];
    const add = (path: string): boolean => {
      if (this.#files.stat(path)?.isDirectory() !== true) return false;
      for (const each of [path, this.#files.real(path)]) if (!bases.has(each)) found.add(each);
      return true;
    };
    for (const text of new Set([...strings.entered, ...strings.changed])) {
      const { absolute, relative } = pathFormsOf(text, this.#work);
      let isThere = false;
      for (const path of absolute) isThere = add(path) || isThere;
      for (const path of relative)
        // `..` starts where the call does; a directory that the call names with it would lead one step too far.
        for (const directory of onlyDots.test(path) ? starts : directories) {
          if (this.#work.isExceeded) return found;
          for (const each of this.#pathsFrom(directory, path)) isThere = add(each) || isThere;
        }
      // The command may create the directory.
      if (isThere || !strings.changed.has(text)) continue;
      for (const path of [...absolute, ...relative.flatMap((each) => [...bases].map((base) => resolve(base, each)))])
        found.add(path);
    }
    return found;
  }

  #resolveFrom(base: string): void {
    const start = base.endsWith(sep) ? base : base + sep;
    const isListed = this.#bare.size > minNamesToList && this.#mayList(base);
    for (const name of this.#bare) {
      if (!this.#work.take(stringWork)) return;
      if (!isListed || !this.#isAbsent(base, name)) this.#addPath(start + name);
    }
    for (const path of this.relative) {
      if (!this.#work.take(stringWork + base.length + path.length)) return;
      this.#addPath(resolve(base, path));
      if (path.includes('..')) this.#addPath(start + path);
    }
  }

  /** Resolves the strings whose first name is in a directory. Returns false when too little work is left to do so for further ones. */
  #resolveFromVisited(directory: string): boolean {
    for (const strings of [this.#bare, this.relative])
      for (const each of strings) {
        // Each path that was added is followed later.
        if (this.#work.left - (this.paths.size - this.#namedSize) * followWork < minWorkLeft) {
          this.isAnywhere = true;
          return false;
        }
        const isOnlyDots = onlyDots.test(each);
        for (const path of this.#pathsFrom(directory, each)) {
          if (isOnlyDots && !this.paths.has(path)) this.unnamed.add(path);
          this.#addPath(path);
        }
      }
    return true;
  }

  /** Returns the paths that a relative path may lead to from a directory; none when its first name is not there, and no guarded file. */
  #pathsFrom(directory: string, path: string): readonly string[] {
    this.#work.take(stringWork + path.length);
    const start = directory.endsWith(sep) ? directory : directory + sep;
    if (!/[./]/.test(path)) return this.#mayContain(directory, path) ? [start + path] : [];
    const resolved = resolve(directory, path);
    const [, climb = '', rest = ''] = climbForm.exec(normalize(path)) ?? [];
    const isThere = rest === '' || rest === '.' || this.#mayContain(resolve(directory, climb), rest);
    if (!path.includes('..')) return isThere ? [resolved] : [];
    return isThere || this.#mayContain(directory, path) ? [resolved, start + path] : [];
  }

  /** Returns whether a directory may have the first name of a path, or may get a guarded file with it. */
  #mayContain(directory: string, path: string): boolean {
    if (getOrInsert(this.#near, directory, () => this.#searched.isNear(this.#files.folded(directory)))) return true;
    if (!this.#names.has(directory))
      this.#names.set(directory, this.#searched.listings.of(directory, this.#work)?.names);
    const end = path.indexOf(sep);
    return this.#names.get(directory)?.has(foldName(end === -1 ? path : path.slice(0, end))) !== false;
  }

  /** Returns whether names that a directory does not have can be skipped: a protected file may be one that does not exist yet. */
  #mayList(base: string): boolean {
    const { names } = this.#searched;
    return !names.isPart('..') && !names.isIn(base);
  }

  #isAbsent(base: string, name: string): boolean {
    return !this.#searched.names.isPart(foldName(name)) && !this.#mayContain(base, name);
  }

  #addPath(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    this.#added.push(path);
  }
}
