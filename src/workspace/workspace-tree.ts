import { type PathLike, type Stats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { SignalboxError } from '../core/errors.ts';
import { type BytePath, joined, shownPath, systemPath } from './byte-path.ts';
import type { ContentStore } from './content-store.ts';
import { type Entry, type PathChange, entryOf, isUntouched, kindOf, sameState } from './entry.ts';
import { OpenedDirectories } from './opened-directories.ts';

/** How large a workspace may be before it cannot be checkpointed. */
export interface WorkspaceLimits {
  readonly files: number;
  readonly bytes: number;
  /** How long one look may take. */
  readonly milliseconds: number;
}

/** What a look at a workspace found. */
export interface Look {
  /** What is not as it was at the look before. */
  readonly changes: readonly PathChange[];
  /** What is to be remembered of it: changed entries, entries whose stat is another while they are the same, gone ones. */
  readonly remembered: readonly Remembered[];
  /** Directories with new entries that were not recorded, because they are beyond the limits. */
  readonly unrecorded: readonly BytePath[];
  /** Whether everything was within the limits. Otherwise what is remembered is not the whole workspace. */
  readonly isWhole: boolean;
}

/** An entry as it is kept between looks. */
export interface Remembered {
  readonly path: BytePath;
  /** Absent: it is gone. */
  readonly entry?: Entry;
  /** Its stat can be trusted to change when it changes. */
  readonly settled: boolean;
}

interface Node {
  readonly path: BytePath;
  readonly at: string | Buffer;
  entry: Entry;
  settled: boolean;
  readonly children: Map<BytePath, Node>;
}

// A file changed twice within one tick of the file system's clock looks the same after both.
const tickMs = 50;
const coarseTickMs = 2000;
const missing = { throwIfNoEntry: false } as const;

/** The entries of a workspace as they were at the last look, with their contents in the store. */
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
  #remembered: Remembered[] = [];
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

  /** What cannot be restored if it changes, and why. */
  get skipped(): ReadonlyMap<BytePath, string> {
    return this.#skipped;
  }

  /** Every entry, each directory before what is in it. */
  *entries(): Generator<Remembered & { readonly entry: Entry }> {
    const nodes = this.#top === undefined ? [] : [this.#top];
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      yield node;
      nodes.push(...node.children.values());
    }
  }

  /** Puts back what was remembered; each directory must come before what is in it. */
  remember({ path, entry, settled }: Remembered): void {
    const cut = path.lastIndexOf('/');
    const parent = path === '' ? undefined : this.#node(path.slice(0, Math.max(0, cut)));
    const name = path.slice(cut + 1);
    const known = path === '' ? this.#top : parent?.children.get(name);
    if (known !== undefined) this.#uncount(known.entry);
    if (entry === undefined) this.#detach(parent, name);
    else if (known !== undefined) {
      known.entry = entry;
      known.settled = settled;
    } else this.#insert(parent, name, path, entry, settled);
    if (entry !== undefined) this.#count(entry);
  }

  /**
   * Looks at everything and takes in the content of what is new. After an error the tree is of no use any more. Before a call a workspace
   * beyond the limits is an error. After a call it is not: everything that was known before is compared, contents beyond the limits are
   * not read, and new entries beyond them are not recorded. The root itself may be gone then, or be something else: then everything in it is gone. Directories that the call has closed are
   * opened while they are read, since the call may have changed their entries first; directories that were closed before stay closed.
   */
  look({ isAfterCall = false } = {}): Look {
    this.#isAfterCall = isAfterCall;
    this.#began = Date.now();
    this.#changes = [];
    this.#remembered = [];
    this.#unrecorded.clear();
    this.#isWhole = true;
    const at = systemPath(this.root);
    const stats = lstatSync(at, missing);
    if (!isAfterCall && stats?.isDirectory() !== true)
      throw new SignalboxError('checkpoint-failed', `the workspace ${shownPath(this.root)} is not a directory`);
    try {
      if (this.#top !== undefined) this.#visit(undefined, '', this.#top, stats);
      else if (stats !== undefined) this.#add(undefined, '', '', stats);
      for (const path of this.#opened.paths()) this.#forgetEntries(this.#node(path));
    } finally {
      this.#opened.close();
    }
    return {
      changes: this.#changes,
      remembered: this.#remembered,
      unrecorded: [...this.#unrecorded],
      isWhole: this.#isWhole,
    };
  }

  #visit(parent: Node | undefined, name: BytePath, node: Node, stats: Stats | undefined): void {
    const { entry } = node;
    if (stats !== undefined && isUntouched(entry, stats) && node.settled) {
      // A directory's own time tells of entries that came and went, not of what is in them.
      for (const [each, child] of node.children) this.#visit(node, each, child, lstatSync(child.at, missing));
    } else if (stats === undefined) this.#remove(parent, name, node);
    else if (kindOf(stats) !== entry.kind) this.#swap(parent, name, node, stats);
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
      const path = joined(node.path, name);
      const found = lstatSync(child?.at ?? this.#at(path), missing);
      if (child !== undefined) this.#visit(node, name, child, found);
      else if (found !== undefined) this.#add(node, name, path, found);
    }
    // Entries that were not readable before are not reported as new: an undo must not remove them.
    if (wasClosed) this.#changes.length = known;
  }

  /** Takes in what is new at a path, with everything below. */
  #add(parent: Node | undefined, name: BytePath, path: BytePath, stats: Stats, before?: Entry): void {
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
    this.#remembered.push({ path, entry, settled: node.settled });
    if (entry.kind !== 'directory') return;
    this.#checkTime(path);
    for (const each of listed ?? []) {
      const below = joined(path, each);
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
    this.#remembered.push({ path: node.path, settled: true });
  }

  /** Forgets the entries of a directory without reporting them as changes. */
  #forgetEntries(node: Node | undefined): void {
    const known = this.#changes.length;
    for (const [name, child] of node?.children ?? []) this.#remove(node, name, child);
    this.#changes.length = known;
  }

  /** Another kind of thing stands there now. */
  #swap(parent: Node | undefined, name: BytePath, node: Node, stats: Stats): void {
    this.#remove(parent, name, node);
    this.#changes.pop();
    this.#add(parent, name, node.path, stats, node.entry);
  }

  #renew(node: Node, entry: Entry): void {
    const { entry: before, settled } = node;
    this.#uncount(before);
    this.#count(entry);
    this.#checkSize(node.path);
    node.entry = entry;
    node.settled = this.#isSettled(entry);
    const isOther = (Object.keys(entry) as (keyof Entry)[]).some((key) => entry[key] !== before[key]);
    if (isOther || settled !== node.settled) this.#remembered.push({ path: node.path, entry, settled: node.settled });
    // Opening a closed directory changes its ctime, so an unchanged ctime means unchanged entries.
    const mayHaveChanged = before.isClosed === true && before.ctimeMs !== entry.ctimeMs;
    if (!sameState(before, entry) || before.mtimeMs !== entry.mtimeMs || mayHaveChanged)
      this.#changes.push({ path: node.path, before, after: entry });
  }

  #entry(path: BytePath, at: PathLike, stats: Stats, listed?: readonly BytePath[], knownBytes = 0): Entry {
    if (!stats.isDirectory()) this.#skipped.delete(path);
    switch (kindOf(stats)) {
      case 'file':
        return this.#file(path, at, stats, knownBytes);
      case 'symlink':
        return entryOf(stats, readlinkSync(at, 'latin1'));
      case 'directory':
        return entryOf(stats, null, listed === undefined || this.#opened.has(path));
      case 'other':
        this.#skipped.set(path, 'it is neither a file, a directory nor a symlink');
        return entryOf(stats, null);
    }
  }

  #file(path: BytePath, at: PathLike, stats: Stats, knownBytes: number): Entry {
    if (this.#isAfterCall && (this.#bytes - knownBytes + stats.size > this.#limits.bytes || this.#isLate())) {
      this.#isWhole = false;
      return { ...entryOf(stats, null), isBeyondLimits: true };
    }
    try {
      // Not even read when it alone is too much.
      if (stats.size > this.#limits.bytes) throw this.#tooLarge(path);
      const taken = this.#contents.take(at);
      const entry = entryOf(taken.stats, taken.hash);
      return taken.restless ? { ...entry, ctimeMs: 0 } : entry;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#skipped.set(path, `it cannot be read (${error.code})`);
      return entryOf(stats, null);
    }
  }

  /** The names in a directory; `undefined` when it is closed to us, so that nothing is known of them. */
  #list(path: BytePath, at: PathLike, wasClosed = false): BytePath[] | undefined {
    try {
      const names = readdirSync(at, 'latin1');
      lstatSync(this.#at(joined(path, '.')));
      this.#skipped.delete(path);
      return names;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (this.#isAfterCall && !wasClosed && this.#opened.open(path)) return this.#list(path, at);
      this.#skipped.set(path, `the directory cannot be read (${error.code})`);
      return undefined;
    }
  }

  #insert(parent: Node | undefined, name: BytePath, path: BytePath, entry: Entry, settled: boolean): Node {
    const node: Node = { path, at: this.#at(path), entry, settled, children: new Map() };
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
    return systemPath(path === '' ? this.root : `${this.root}/${path}`);
  }

  #isExcluded(path: BytePath): boolean {
    return `${this.root}/${path}` === this.#excluded;
  }

  /** Whether a later change is sure to show in the stat. */
  #isSettled({ mtimeMs, ctimeMs }: Entry): boolean {
    const isCoarse = mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0;
    return Math.max(mtimeMs, ctimeMs) < this.#began - (isCoarse ? coarseTickMs : tickMs);
  }

  #count(entry: Entry): void {
    this.#files += 1;
    this.#bytes += readBytes(entry);
  }

  #uncount(entry: Entry): void {
    this.#files -= 1;
    this.#bytes -= readBytes(entry);
  }

  #checkSize(path: BytePath): void {
    if (this.#isAfterCall) return;
    if (this.#files > this.#limits.files || this.#bytes > this.#limits.bytes) throw this.#tooLarge(path);
  }

  #tooLarge(path: BytePath): SignalboxError {
    const most = `${this.#limits.files} entries and ${shownSize(this.#limits.bytes)}`;
    return new SignalboxError(
      'checkpoint-failed',
      `the workspace ${shownPath(this.root)} has more than the ${most} that are kept for undo (met at ${shownPath(path)}); ` +
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
      `looking at the workspace ${shownPath(this.root)} took more than ${this.#limits.milliseconds} ms (at ${shownPath(path)}); ` +
        'declare a smaller workspace, or raise "maxMs" of "undo"',
    );
  }
}

/** A content that was not read leaves the room to others. */
function readBytes({ size, isBeyondLimits }: Entry): number {
  return isBeyondLimits === true ? 0 : size;
}

function shownSize(bytes: number): string {
  return bytes < 1e6 ? `${bytes} bytes` : `${Number((bytes / 1e6).toFixed(1))} MB`;
}

function isUnreadable(error: unknown): error is NodeJS.ErrnoException {
  // ENOENT, ENOTDIR and ELOOP: it was taken away or swapped between the look at it and the reading.
  const codes = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EIO', 'ENXIO'];
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
