import { type Dirent, type Stats, readdirSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Principal } from '../../core/principal.ts';
import { type Decision, type ProtectedFile, askingRules } from '../../core/calls/decision.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { PermissionMode } from '../../core/calls/permission-mode.ts';
import type { Effect } from '../../core/tools/tool.ts';
import { applyPermissionMode } from '../../policy/apply-permission-mode.ts';
import { isInside, isSameFile } from '../../policy/conditions/functions/path-location.ts';
import { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { type NamedPaths, holdsString, namedPaths } from './path-arguments.ts';
import { DirectoryListings } from './directory-listings.ts';
import { PathFreeReads } from './path-free-reads.ts';
import { Lookups, foldName, foldPath, mayBeInside, statOf } from './real-path.ts';
import { PathSuffixes, namesAfterStart } from './path-suffixes.ts';
import { NameSearch } from './text-names.ts';
import { VisitedDirectories } from './visited-directories.ts';

/** The files that calls may write only with approval. */
export interface FileProtection {
  /** Returns a different value when the results of the other functions may have changed. */
  version(): unknown;
  /** Directories that are closed to agents, besides the data directory of the box. */
  forbiddenDirectories(): readonly string[];
  /** The directory of the configuration. Directories in it that hold a protected file are protected like the file. */
  directory(): string | undefined;
  files(): readonly ProtectedFile[];
  /** The directories from which a server resolves relative paths. */
  basesOf(server: string): readonly string[];
}

/** The properties of a call that the guard reads. */
export interface GuardedCall {
  readonly principal: Principal;
  readonly effect: Effect;
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The directories that the tool writes to. */
  readonly workspace: readonly string[];
  readonly permissionMode: PermissionMode | undefined;
}

/** A protected file, or a file in a forbidden directory, that a call names. */
interface GuardedFile {
  readonly path: string;
  readonly role: string;
  /** Replaces the sentence "PATH is ROLE". */
  readonly reason?: string;
}

const uncheckedArguments: GuardedFile = {
  path: 'its arguments',
  role: 'too many strings, or too much text, to check each for protected files',
  reason: 'its arguments contain too much text to check for protected files',
};
const uncheckedData: GuardedFile = {
  path: 'its arguments',
  role: "too much to check, with the name of Signalbox's data directory, which is closed to agents",
  reason:
    "its arguments contain too much text to check, and the name of Signalbox's data directory, which is closed to agents",
};

const unclearArguments: GuardedFile = {
  path: 'its arguments',
  role: "a text with $'…', which shells read differently",
  reason: "its arguments contain $'…' with an escape that shells read differently, so a file name may be hidden in it",
};
const unclearData: GuardedFile = {
  path: 'its arguments',
  role: "a text with $'…' in what may be the name of Signalbox's data directory, which is closed to agents",
};

/** A directory that is closed to agents, by its configured path and its real path. */
interface ForbiddenDirectory {
  readonly path: string;
  readonly real: string;
}

/** A protected file, with its real path. */
interface ResolvedFile extends ProtectedFile {
  /** The configured path. */
  readonly link: string;
  readonly folded: string;
}

interface GuardedFiles {
  readonly forbidden: readonly ForbiddenDirectory[];
  readonly files: readonly ResolvedFile[];
  readonly isRead: boolean;
}

const protectedNames: Readonly<Record<string, string>> = {
  'signalbox.config.json': 'a configuration of Signalbox',
  'signalbox.config.jsonc': 'a configuration of Signalbox',
  'signalbox.lock': 'the lock of accepted tool definitions',
  '.mcp.json': 'a list of servers that Claude Code starts',
  '.claude.json': 'the settings of Claude Code',
};
/** Files that Claude Code runs at startup or before a tool runs. */
const claudeFile = /^(?:settings.*\.json$|hooks$)/;

const searchedNames = [...Object.keys(protectedNames), '.claude'];
const maxSearches = 16;

/** The demo workspace is in the data directory, and agents work in it. */
const demoDirectory = 'demo';
/** Copies of files in workspaces. */
const undoDirectory = 'undo';
const maxDataFiles = 5000;
/** The work that checking one call may take, in units of about 10 ns. The count is independent of the clock, as in `WorkBudget`. */
const maxGuardWork = 2_500_000;
const comparisonWork = 8;
const pathWork = 50;

/**
 * Overrides policy for calls that name certain files: the data directory is closed to everyone except humans, and a call that may write a
 * protected file always needs approval.
 */
export class FileGuard {
  readonly #data: string | undefined;
  readonly #realDirectories = new Map<string, string>();
  readonly #searches = new Map<string, NameSearch>();
  readonly #suffixes = new Map<string, PathSuffixes>();
  readonly #listings = new DirectoryListings();
  readonly #pathFreeReads = new PathFreeReads(this.#listings);
  readonly #visited = new VisitedDirectories();
  #protection: FileProtection = {
    version: () => undefined,
    forbiddenDirectories: () => [],
    directory: () => undefined,
    files: () => [],
    basesOf: () => [],
  };

  constructor(data: string | undefined) {
    this.#data = data;
  }

  /** Replaces the protected files. Files with the names of configurations are always protected everywhere. */
  protect(protection: FileProtection): void {
    this.#protection = protection;
  }

  /**
   * Returns the decision, or a stricter one when the call names a protected file or one in a forbidden directory. Remembers the directories
   * that the call names, from which later calls may start.
   */
  decide(call: GuardedCall, decision: Decision): Decision {
    if (decision.answer === 'deny' || !holdsString(call.arguments)) return decision;
    const isRead = call.effect === 'read';
    if (isRead && this.#isPathFree(call)) return decision;
    const work = new WorkBudget(0, maxGuardWork);
    const lookups = new Lookups(work);
    const files = isRead ? [] : this.#protection.files().map(toResolvedFile);
    const forbidden = this.#forbiddenDirectories();
    const visited = this.#visited.of(call.server);
    const bases = this.#basesOf(call);
    const starts = [...bases, ...visited.directories];
    const names = this.#namesOf(forbidden, starts, files, isRead);
    const guarded = [...forbidden.map(({ real }) => foldPath(real)), ...files.map(({ folded }) => folded)];
    const isNear = (directory: string): boolean => isNearGuarded(directory, guarded);
    const { tool, arguments: args } = call;
    const searched = { arguments: args, tool, mayMove: !isRead, bases, visited, names, isNear };
    const named = namedPaths({ ...searched, listings: this.#listings }, lookups, work);
    const isIncomplete = named.isIncomplete || work.isExceeded;
    const { closed, hits } = this.#hitsOf(named, { forbidden, files, isRead }, lookups, work);
    const isHuman = call.principal.kind === 'human';
    if (closed !== undefined && !isHuman) return overrideDecision(decision, 'deny', 'default:data-directory', [closed]);
    if (closed !== undefined) hits.unshift(closed);
    if (isIncomplete || work.isExceeded) {
      if (!isHuman && this.#namesOf(forbidden, starts, [], true).isWritten(args))
        return overrideDecision(decision, 'deny', 'default:data-directory', [uncheckedData]);
      hits.push(uncheckedArguments);
    }
    this.#visited.add(call.server, named.entered, !isIncomplete);
    if (hits.length === 0) return decision;
    const asking = overrideDecision(decision, 'ask', 'default:protected-file', hits);
    return call.permissionMode === 'dontAsk' ? applyPermissionMode('dontAsk', asking, call.effect) : asking;
  }

  /** Returns the file that is closed to agents, and the files that a call needs approval for. */
  #hitsOf(
    named: NamedPaths,
    { forbidden, files, isRead }: GuardedFiles,
    lookups: Lookups,
    work: WorkBudget,
  ): { closed: GuardedFile | undefined; hits: GuardedFile[] } {
    const found = forbiddenIn(forbidden, named, isRead, lookups, work);
    const isUncertain = found?.isUncertain === true;
    const dataNames = this.#namesOf(forbidden, [], [], true);
    const isHidden = named.unclear.some((text) => dataNames.mayHideName(text) === 'certain');
    const closed =
      (isUncertain ? undefined : found) ??
      this.#forbiddenByEnd(forbidden, named) ??
      (isHidden ? unclearData : undefined);
    const hits: GuardedFile[] = isUncertain ? [found] : [];
    if (!isRead) hits.push(...this.#protectedIn(files, named, lookups, work));
    if (hits.length === 0) hits.push(...this.#protectedByEnd(files, named));
    if (named.unclear.length > 0) hits.push(unclearArguments);
    return { closed, hits };
  }

  #isPathFree(call: GuardedCall): boolean {
    const { directories } = this.#visited.of(call.server);
    return this.#pathFreeReads.isPathFree(call, this.#protection.version(), directories.size, () => {
      const bases = [...this.#basesOf(call), ...directories];
      return { bases: new Set(bases), search: this.#namesOf(this.#forbiddenDirectories(), bases, [], true) };
    });
  }

  #basesOf({ server, workspace }: GuardedCall): readonly string[] {
    return [...workingDirectory(), ...workspace, ...this.#protection.basesOf(server)];
  }

  /** Returns the search for names in the arguments of a call. Cached for the same names. */
  #namesOf(
    forbidden: readonly ForbiddenDirectory[],
    bases: readonly string[],
    files: readonly ResolvedFile[],
    isRead: boolean,
  ): NameSearch {
    const paths = [
      ...forbidden.flatMap(({ path, real }) => [path, real]),
      ...files.flatMap(({ path, link }) => [path, link]),
    ];
    // From the demo workspace, which is in the data directory, a relative path reaches the data directory without naming it.
    const startsInside = forbidden.some(({ real }) => bases.some((base) => base.startsWith(real)));
    const names = [
      ...paths.map((path) => basename(path)),
      ...(isRead ? [] : searchedNames),
      ...(startsInside ? ['..'] : []),
    ];
    const key = [...names, ...paths].join('\0');
    let search = this.#searches.get(key);
    if (search !== undefined) return search;
    if (this.#searches.size >= maxSearches) this.#searches.clear();
    search = new NameSearch(
      [...new Set(names)].filter((name) => name !== ''),
      paths,
    );
    this.#searches.set(key, search);
    return search;
  }

  #forbiddenDirectories(): readonly ForbiddenDirectory[] {
    const directories = new Set(this.#protection.forbiddenDirectories());
    if (this.#data !== undefined) directories.add(this.#data);
    return [...directories].map((path) => ({ path, real: this.#realDirectory(path) }));
  }

  /** Returns the real path of a data directory. Cached once it exists, because it does not move while the process runs. */
  #realDirectory(path: string): string {
    const known = this.#realDirectories.get(path);
    if (known !== undefined) return known;
    const real = new Lookups().real(path);
    if (statOf(real) !== undefined) this.#realDirectories.set(path, real);
    return real;
  }

  #suffixesOf(paths: readonly string[]): PathSuffixes {
    const key = paths.join('\0');
    if (!this.#suffixes.has(key) && this.#suffixes.size >= maxSearches) this.#suffixes.clear();
    return getOrInsert(this.#suffixes, key, () => new PathSuffixes(paths));
  }

  /** Returns a relative path that leads into a forbidden directory from a directory that is not known. */
  #forbiddenByEnd(
    directories: readonly ForbiddenDirectory[],
    { relative, isAnywhere }: NamedPaths,
  ): GuardedFile | undefined {
    const suffixes = this.#suffixesOf(directories.flatMap(({ path, real }) => [path, real]));
    for (const path of relative) {
      // A hidden directory has a name of its own, so a path through it needs no `..` to be clear. As a single word, it may be prose.
      const isHidden =
        path.includes('/') &&
        directories.some(({ real }) => path.includes(basename(real)) && basename(real).startsWith('.'));
      const names = namesAfterStart(path, isAnywhere || isHidden);
      const rest = names && suffixes.restAfter(names);
      if (rest === undefined || rest[0] === demoDirectory) continue;
      return { path, role: "in Signalbox's data directory, which is closed to agents, from some directory" };
    }
    return undefined;
  }

  /** Returns the protected files that a relative path leads to from a directory that is not known. */
  #protectedByEnd(files: readonly ResolvedFile[], { relative, isAnywhere }: NamedPaths): GuardedFile[] {
    const suffixes = this.#suffixesOf(files.flatMap(({ link, path }) => [link, path]));
    return relative.flatMap((path) => {
      const names = namesAfterStart(path, isAnywhere);
      if (names === undefined || suffixes.restAfter(names) === undefined) return [];
      return { path, role: 'a protected file from some directory' };
    });
  }

  #protectedIn(
    files: readonly ResolvedFile[],
    { paths, unnamed, moved }: NamedPaths,
    lookups: Lookups,
    work: WorkBudget,
  ): GuardedFile[] {
    const directory = this.#protection.directory();
    const unlimited = new Lookups();
    const root = directory === undefined ? undefined : unlimited.real(directory);
    const hits = new Map<string, GuardedFile>();
    const add = ({ path, role }: GuardedFile): void => void (hits.has(path) || hits.set(path, { path, role }));
    for (const path of paths) {
      if (!work.take(pathWork + files.length * comparisonWork)) break;
      const real = lookups.real(path);
      const folded = lookups.folded(real);
      const stats = lookups.stat(path);
      const isLinked = stats?.isFile() === true && stats.nlink > 1;
      const mayHold = root !== undefined && real !== root && !unnamed.has(path) && mayBeInside(real, root);
      for (const file of files) {
        const isFile = path === file.link || (isInside(folded, file.folded) && mayBeInside(real, file.path));
        const isSame = isLinked && isSameFile(unlimited.stat(file.path), stats);
        if (isFile || isSame || (mayHold && isInside(file.folded, folded) && mayBeInside(file.path, real))) add(file);
      }
      for (const each of real === path ? [path] : [real, path]) {
        const role = roleByName(each);
        if (role !== undefined) add({ path: each, role });
      }
    }
    for (const [path, { isCopy }] of moved) {
      if (isCopy) continue;
      if (!work.take(pathWork + files.length * comparisonWork)) break;
      const real = lookups.real(path);
      const folded = lookups.folded(real);
      for (const file of files) if (isInside(file.folded, folded) && mayBeInside(file.path, real)) add(file);
    }
    return [...hits.values()];
  }
}

/** Returns the first path that leads into a forbidden directory, or the first moved or copied location that contains one. */
function forbiddenIn(
  directories: readonly ForbiddenDirectory[],
  { paths, bases, moved }: NamedPaths,
  isRead: boolean,
  files: Lookups,
  work: WorkBudget,
): (GuardedFile & { readonly isUncertain?: boolean }) | undefined {
  let uncertain: (GuardedFile & { readonly isUncertain: boolean }) | undefined;
  for (const { real: directory } of directories) {
    const open = join(directory, demoDirectory);
    const own = new DataFiles(directory);
    for (const path of paths) {
      if (!work.take(pathWork)) return uncertain;
      // Most strings are not paths: a name that does not exist in its directory cannot be read.
      if (isRead && bases.has(dirname(path)) && files.stat(path) === undefined) continue;
      const real = files.real(path);
      if (mayBeInside(real, directory) ? !mayBeInside(real, open) : own.has(files.stat(path)))
        return { path: real, role: "in Signalbox's data directory, which is closed to agents" };
    }
    for (const [path, { isUncertain }] of moved) {
      if (!work.take(pathWork)) return uncertain;
      const real = files.real(path);
      if (!mayBeInside(directory, real)) continue;
      const role = "a directory with Signalbox's data directory in it, which is closed to agents";
      if (!isUncertain) return { path: real, role };
      uncertain ??= { path: real, role, isUncertain };
    }
  }
  return uncertain;
}

function overrideDecision(
  decision: Decision,
  answer: 'ask' | 'deny',
  rule: string,
  hits: readonly GuardedFile[],
): Decision {
  const { policy, shadow, values } = decision;
  const originalDecision = { answer: decision.answer, rule: decision.rule, reason: decision.reason };
  const named = hits.map(({ path, role, reason: why = `${path} is ${role}` }) => why).join('; ');
  const reason = answer === 'deny' ? named : `${named}; each such call needs its own approval, which is not remembered`;
  return {
    answer,
    rule,
    reason,
    protectedFiles: hits.map(({ path }) => path),
    protectedRoles: Object.fromEntries(hits.map(({ path, role }) => [path, role])),
    ...omitUndefined({
      asks:
        originalDecision.answer === 'ask' && answer === 'ask'
          ? [{ rule, reason }, ...askingRules(decision)]
          : undefined,
      ruled: originalDecision.answer === 'ask' ? undefined : originalDecision,
      values,
      policy,
      shadow,
    }),
  };
}

function toResolvedFile({ path, role }: ProtectedFile): ResolvedFile {
  const real = new Lookups().real(path);
  return { path: real, role, link: path, folded: foldPath(real) };
}

/** Returns whether a directory contains a guarded file or is inside one, or is one in which names are protected. All are folded. */
function isNearGuarded(directory: string, guarded: readonly string[]): boolean {
  if (directory.includes('.claude')) return true;
  return guarded.some((path) => isInside(path, directory) || isInside(directory, path));
}

/** Returns the directory of this process, unless it was removed. */
function workingDirectory(): string[] {
  try {
    return [process.cwd()];
  } catch {
    return [];
  }
}

/** Returns the role of a file that is protected by its name; `undefined` for every other file. */
function roleByName(path: string): string | undefined {
  const name = foldName(basename(path));
  if (Object.hasOwn(protectedNames, name)) return protectedNames[name];
  const parts = path.split(sep).map((part) => foldName(part));
  const inClaude = parts[parts.lastIndexOf('.claude') + 1];
  if (!parts.includes('.claude') || (inClaude !== undefined && !claudeFile.test(inClaude))) return undefined;
  return 'a file that Claude Code reads settings or hooks from';
}

/** The files in the data directory, by device and inode, listed when the first path has several hard links. */
class DataFiles {
  readonly #directory: string;
  #known: ReadonlySet<string> | 'too-many' | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns whether a file has another name in the directory. */
  has(stats: Stats | undefined): boolean {
    if (stats?.isFile() !== true || stats.nlink < 2) return false;
    this.#known ??= this.#list() ?? 'too-many';
    return this.#known === 'too-many' || this.#known.has(inodeOf(stats));
  }

  #list(): ReadonlySet<string> | undefined {
    const found = new Set<string>();
    const skipped = new Set([join(this.#directory, undoDirectory), join(this.#directory, demoDirectory)]);
    const directories = [this.#directory];
    let left = maxDataFiles;
    for (let each = directories.pop(); each !== undefined; each = directories.pop())
      for (const entry of entriesOf(each)) {
        left -= 1;
        if (left < 0) return undefined;
        const path = join(each, entry.name);
        const stats = entry.isDirectory() ? undefined : statOf(path);
        if (stats !== undefined) found.add(inodeOf(stats));
        else if (entry.isDirectory() && !skipped.has(path)) directories.push(path);
      }
    return found;
  }
}

function inodeOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
