import { type PathLike, type Stats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { SignalboxError } from '../../core/errors.ts';
import { type BytePath, joinPath, toDisplayPath, toSystemPath } from './byte-path.ts';
import type { ContentStore } from './content-store.ts';
import { type FileEntry, type PathChange, toFileEntry, isUntouched, toKind, isSameState } from './file-entry.ts';
import { OpenedDirectories } from './opened-directories.ts';

/** The limits of a workspace that can be checkpointed. */
export interface WorkspaceLimits {
  readonly files: number;
  readonly bytes: number;
  /** The maximum duration of one scan. */
  readonly milliseconds: number;
}

/** The result of a scan. */
export interface ScanResult {
  /** The differences from the previous scan. */
  readonly changes: readonly PathChange[];
  /** The entries to write to the index: changed ones, ones with a different stat but equal content, and removed ones. */
  readonly indexed: readonly IndexedEntry[];
  /** Directories with new entries that were not recorded because of the limits. */
  readonly unrecorded: readonly BytePath[];
  /** Whether everything was within the limits. If not, the index does not cover the whole workspace. */
  readonly isWhole: boolean;
}

/** An entry of the index between scans. */
export interface IndexedEntry {
  readonly path: BytePath;
  /** Absent when the entry was removed. */
  readonly entry?: FileEntry;
  /** Whether any later change is certain to show in the stat. */
  readonly isSettled: boolean;
}

interface Node {
  readonly path: BytePath;
  readonly at: string | Buffer;
  entry: FileEntry;
  isSettled: boolean;
  readonly children: Map<BytePath, Node>;
}

// A file changed twice within one tick of the file system's clock looks the same after both.
const tickMs = 50;
const coarseTickMs = 2000;
const missing = { throwIfNoEntry: false } as const;

/** The entries of a workspace as of the last scan, with their contents in the store. */
export class WorkspaceTree {
  readonly root: BytePath;
  readonly #contents: ContentStore;
  readonly #limits: WorkspaceLimits;
  readonly #excluded: BytePath;
  readonly #skipped = new Map<BytePath, string>();
  readonly #opened = new OpenedDirectories((path, act) => act(this.#at(path)));
  #isAfterCall = false;
  #top: Node | undefined;
  #files = 0;
  #bytes = 0;
  #began = 0;
  #changes: PathChange[] = [];
  #indexed: IndexedEntry[] = [];
  readonly #unrecorded = new Set<BytePath>();
  #isWhole = true;

  constructor(root: BytePath, contents: ContentStore, limits: WorkspaceLimits, excluded: BytePath) {
    this.root = root;
    this.#contents = contents;
    this.#limits = limits;
    this.#excluded = excluded;
  }

  get size(): { readonly files: number; readonly bytes: number } {
    return { files: this.#files, bytes: this.#bytes };
  }

  /** The paths that cannot be restored when they change, with the reason. */
  get skipped(): ReadonlyMap<BytePath, string> {
    return this.#skipped;
  }

  /** Yields every entry, each directory before its contents. */
  *entries(): Generator<IndexedEntry & { readonly entry: FileEntry }> {
    const nodes = this.#top === undefined ? [] : [this.#top];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      yield node;
      nodes.push(...node.children.values());
    }
  }

  /** Loads an entry of the index. Each directory must come before its contents. */
  load({ path, entry, isSettled }: IndexedEntry): void {
    const cut = path.lastIndexOf('/');
    const parent = path === '' ? undefined : this.#node(path.slice(0, Math.max(0, cut)));
    const name = path.slice(cut + 1);
    const known = path === '' ? this.#top : parent?.children.get(name);
    if (known !== undefined) this.#uncount(known.entry);
    if (entry === undefined) this.#detach(parent, name);
    else if (known !== undefined) {
      known.entry = entry;
      known.isSettled = isSettled;
    } else this.#insert(parent, name, path, entry, isSettled);
    if (entry !== undefined) this.#count(entry);
  }

  /**
   * Scans the workspace and stores the content of new and changed files. The tree is unusable after an error. Before a call, a
   * workspace beyond the limits is an error. After a call it is not: all known entries are compared, contents beyond the limits
   * are not read, and new entries beyond them are not recorded. When the root was removed or replaced, all entries count as
   * removed. Directories that the call made unreadable are opened while they are read, because the call may have changed their
   * entries first; directories that were unreadable before stay closed.
   */
  scan({ isAfterCall = false } = {}): ScanResult {
    this.#isAfterCall = isAfterCall;
    this.#began = Date.now();
    this.#changes = [];
    this.#indexed = [];
    this.#unrecorded.clear();
    this.#isWhole = true;
    const at = toSystemPath(this.root);
    const stats = lstatSync(at, missing);
    if (!isAfterCall && stats?.isDirectory() !== true)
      throw new SignalboxError('checkpoint-failed', `the workspace ${toDisplayPath(this.root)} is not a directory`);
    try {
      if (this.#top !== undefined) this.#visit(undefined, '', this.#top, stats);
      else if (stats !== undefined) this.#add(undefined, '', '', stats);
      for (const path of this.#opened.paths()) this.#forgetEntries(this.#node(path));
    } finally {
      this.#opened.close();
    }
    return {
      changes: this.#changes,
      indexed: this.#indexed,
      unrecorded: [...this.#unrecorded],
      isWhole: this.#isWhole,
    };
  }

  #visit(parent: Node | undefined, name: BytePath, node: Node, stats: Stats | undefined): void {
    const { entry } = node;
    if (stats !== undefined && isUntouched(entry, stats) && node.isSettled) {
      // The time of a directory changes with its list of entries, not with the content of the entries.
      for (const [each, child] of node.children) this.#visit(node, each, child, lstatSync(child.at, missing));
    } else if (stats === undefined) this.#remove(parent, name, node);
    else if (toKind(stats) !== entry.kind) this.#swap(parent, name, node, stats);
    else if (entry.kind === 'directory') this.#visitListed(node, stats);
    else this.#renew(node, this.#entry(node.path, node.at, stats, undefined, entry.size));
  }

  #visitListed(node: Node, stats: Stats): void {
    this.#checkTime(node.path);
    const wasClosed = node.entry.isClosed === true;
    const listed = this.#list(node.path, node.at, wasClosed);
    this.#renew(node, this.#entry(node.path, node.at, stats, listed));
    if (listed === undefined) {
      this.#forgetEntries(node);
      return;
    }
    const known = this.#changes.length;
    const names = new Set(listed);
    for (const [name, child] of node.children) if (!names.has(name)) this.#remove(node, name, child);
    for (const name of names) {
      const child = node.children.get(name);
      const path = joinPath(node.path, name);
      const found = lstatSync(child?.at ?? this.#at(path), missing);
      if (child !== undefined) this.#visit(node, name, child, found);
      else if (found !== undefined) this.#add(node, name, path, found);
    }
    // Entries that were not readable before are not reported as new: an undo must not remove them.
    if (wasClosed) this.#changes.length = known;
  }

  /** Adds the new entry at a path with everything below it. */
  #add(parent: Node | undefined, name: BytePath, path: BytePath, stats: Stats, before?: FileEntry): void {
    if (this.#isExcluded(path)) return;
    if (this.#isAfterCall && before === undefined && (this.#files >= this.#limits.files || this.#isLate())) {
      this.#isWhole = false;
      this.#unrecorded.add(parent?.path ?? '');
      return;
    }
    const at = this.#at(path);
    const listed = stats.isDirectory() ? this.#list(path, at) : undefined;
    const entry = this.#entry(path, at, stats, listed);
    this.#count(entry);
    this.#checkSize(path);
    const node = this.#insert(parent, name, path, entry, this.#isSettled(entry));
    this.#changes.push(before === undefined ? { path, after: entry } : { path, before, after: entry });
    this.#indexed.push({ path, entry, isSettled: node.isSettled });
    if (entry.kind !== 'directory') return;
    this.#checkTime(path);
    for (const each of listed ?? []) {
      const below = joinPath(path, each);
      const found = lstatSync(this.#at(below), missing);
      if (found !== undefined) this.#add(node, each, below, found);
    }
  }

  #remove(parent: Node | undefined, name: BytePath, node: Node): void {
    for (const [each, child] of node.children) this.#remove(node, each, child);
    this.#detach(parent, name);
    this.#uncount(node.entry);
    this.#skipped.delete(node.path);
    this.#changes.push({ path: node.path, before: node.entry });
    this.#indexed.push({ path: node.path, isSettled: true });
  }

  /** Forgets the entries of a directory without reporting them as changes. */
  #forgetEntries(node: Node | undefined): void {
    const known = this.#changes.length;
    for (const [name, child] of node?.children ?? []) this.#remove(node, name, child);
    this.#changes.length = known;
  }

  /** Replaces an entry by one of another kind. */
  #swap(parent: Node | undefined, name: BytePath, node: Node, stats: Stats): void {
    this.#remove(parent, name, node);
    this.#changes.pop();
    this.#add(parent, name, node.path, stats, node.entry);
  }

  #renew(node: Node, entry: FileEntry): void {
    const { entry: before, isSettled } = node;
    this.#uncount(before);
    this.#count(entry);
    this.#checkSize(node.path);
    node.entry = entry;
    node.isSettled = this.#isSettled(entry);
    const isOther = (Object.keys(entry) as (keyof FileEntry)[]).some((key) => entry[key] !== before[key]);
    if (isOther || isSettled !== node.isSettled)
      this.#indexed.push({ path: node.path, entry, isSettled: node.isSettled });
    // Opening a closed directory changes its ctime, so an unchanged ctime means unchanged entries.
    const mayHaveChanged = before.isClosed === true && before.ctimeMs !== entry.ctimeMs;
    if (!isSameState(before, entry) || before.mtimeMs !== entry.mtimeMs || mayHaveChanged)
      this.#changes.push({ path: node.path, before, after: entry });
  }

  #entry(path: BytePath, at: PathLike, stats: Stats, listed?: readonly BytePath[], knownBytes = 0): FileEntry {
    if (!stats.isDirectory()) this.#skipped.delete(path);
    switch (toKind(stats)) {
      case 'file':
        return this.#file(path, at, stats, knownBytes);
      case 'symlink':
        return toFileEntry(stats, readlinkSync(at, 'latin1'));
      case 'directory':
        return toFileEntry(stats, null, listed === undefined || this.#opened.has(path));
      case 'other':
        this.#skipped.set(path, 'it is neither a file, a directory nor a symlink');
        return toFileEntry(stats, null);
    }
  }

  #file(path: BytePath, at: PathLike, stats: Stats, knownBytes: number): FileEntry {
    if (this.#isAfterCall && (this.#bytes - knownBytes + stats.size > this.#limits.bytes || this.#isLate())) {
      this.#isWhole = false;
      return { ...toFileEntry(stats, null), isBeyondLimits: true };
    }
    try {
      // A file that exceeds the limit alone is not read.
      if (stats.size > this.#limits.bytes) throw this.#tooLarge(path);
      const taken = this.#contents.add(at);
      const entry = toFileEntry(taken.stats, taken.hash);
      return taken.isUnstable ? { ...entry, ctimeMs: 0 } : entry;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#skipped.set(path, `it cannot be read (${error.code})`);
      return toFileEntry(stats, null);
    }
  }

  /** Returns the names in a directory; `undefined` when it cannot be read. */
  #list(path: BytePath, at: PathLike, wasClosed = false): BytePath[] | undefined {
    try {
      const names = readdirSync(at, 'latin1');
      lstatSync(this.#at(joinPath(path, '.')));
      this.#skipped.delete(path);
      return names;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (this.#isAfterCall && !wasClosed && this.#opened.open(path)) return this.#list(path, at);
      this.#skipped.set(path, `the directory cannot be read (${error.code})`);
      return undefined;
    }
  }

  #insert(parent: Node | undefined, name: BytePath, path: BytePath, entry: FileEntry, isSettled: boolean): Node {
    const node: Node = { path, at: this.#at(path), entry, isSettled, children: new Map() };
    if (parent === undefined) this.#top = node;
    else parent.children.set(name, node);
    return node;
  }

  #detach(parent: Node | undefined, name: BytePath): void {
    if (name === '') this.#top = undefined;
    else parent?.children.delete(name);
  }

  #node(path: BytePath): Node | undefined {
    if (path === '') return this.#top;
    return path.split('/').reduce<Node | undefined>((node, name) => node?.children.get(name), this.#top);
  }

  #at(path: BytePath): string | Buffer {
    return toSystemPath(path === '' ? this.root : `${this.root}/${path}`);
  }

  #isExcluded(path: BytePath): boolean {
    return `${this.root}/${path}` === this.#excluded;
  }

  /** Returns whether any later change is certain to show in the stat. */
  #isSettled({ mtimeMs, ctimeMs }: FileEntry): boolean {
    const isCoarse = mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0;
    return Math.max(mtimeMs, ctimeMs) < this.#began - (isCoarse ? coarseTickMs : tickMs);
  }

  #count(entry: FileEntry): void {
    this.#files += 1;
    this.#bytes += countedBytes(entry);
  }

  #uncount(entry: FileEntry): void {
    this.#files -= 1;
    this.#bytes -= countedBytes(entry);
  }

  #checkSize(path: BytePath): void {
    if (this.#isAfterCall) return;
    if (this.#files > this.#limits.files || this.#bytes > this.#limits.bytes) throw this.#tooLarge(path);
  }

  #tooLarge(path: BytePath): SignalboxError {
    const limits = `${this.#limits.files} entries and ${formatSize(this.#limits.bytes)}`;
    return new SignalboxError(
      'checkpoint-failed',
      `the workspace ${toDisplayPath(this.root)} exceeds the undo limits of ${limits} (at ${toDisplayPath(path)}); ` +
        'declare a smaller workspace, or raise "maxFiles" or "maxBytes" of "undo"',
    );
  }

  #isLate(): boolean {
    return Date.now() - this.#began > this.#limits.milliseconds;
  }

  #checkTime(path: BytePath): void {
    if (this.#isAfterCall || !this.#isLate()) return;
    throw new SignalboxError(
      'checkpoint-failed',
      `scanning the workspace ${toDisplayPath(this.root)} took more than ${this.#limits.milliseconds} ms (at ${toDisplayPath(path)}); ` +
        'declare a smaller workspace, or raise "maxMs" of "undo"',
    );
  }
}

/** Returns the bytes that count against the limit: content that was not read counts as zero. */
function countedBytes({ size, isBeyondLimits }: FileEntry): number {
  return isBeyondLimits === true ? 0 : size;
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${bytes} bytes` : `${Number((bytes / 1e6).toFixed(1))} MB`;
}

function isUnreadable(error: unknown): error is NodeJS.ErrnoException {
  // ENOENT, ENOTDIR and ELOOP: it was removed or replaced between the stat and the read.
  const codes = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EIO', 'ENXIO'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
