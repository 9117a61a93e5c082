import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { IndexedEntry, WorkspaceTree } from './workspace-tree.ts';

const format = 'signalbox workspace index 2';
const kinds = ['file', 'directory', 'symlink', 'other'] as const;
const maxTailLines = 5000;

/**
 * Stores the index of a workspace between processes: all entries, then the differences found by each scan. A scan counts only
 * when its last line is complete, so an interrupted write has no effect.
 */
export class IndexFile {
  readonly #file: string;
  #stamp = '';
  #lines = 0;
  #entries = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns whether no other process has written since this object last read or wrote. */
  isCurrent(): boolean {
    return this.#stamp !== '' && this.#stamp === readStamp(this.#file);
  }

  /** Loads the index into an empty tree. Without a usable index the tree stays empty and the next scan reads everything. */
  load(tree: WorkspaceTree): void {
    this.#lines = 0;
    this.#stamp = readStamp(this.#file);
    if (this.#stamp === '') return;
    const lines = readFileSync(this.#file, 'latin1').split('\n');
    if (lines[0] !== format) return;
    const end = lines.lastIndexOf('.');
    for (let index = 1; index < end; index += 1) {
      const line = lines[index] ?? '';
      if (line !== '.') tree.load(parseLine(line));
    }
    this.#lines = end;
    this.#entries = tree.size.files;
    // Lines appended after an incomplete write would be read as part of it.
    if (end !== lines.length - 2) this.#write(tree);
  }

  /** Appends the differences that a scan found. */
  save(tree: WorkspaceTree, entries: readonly IndexedEntry[]): void {
    if (this.#stamp === '' || this.#lines + entries.length > 2 * this.#entries + maxTailLines) return this.#write(tree);
    if (entries.length === 0) return undefined;
    const descriptor = openSync(this.#file, 'a');
    try {
      writeSync(descriptor, `${entries.map(formatLine).join('\n')}\n.\n`, null, 'latin1');
    } finally {
      closeSync(descriptor);
    }
    this.#lines += entries.length + 1;
    this.#stamp = readStamp(this.#file);
    return undefined;
  }

  #write(tree: WorkspaceTree): void {
    const lines = [...tree.entries()].map(formatLine);
    const temporaryFile = `${this.#file}.new`;
    writeFileSync(temporaryFile, [format, ...lines, '.', ''].join('\n'), { encoding: 'latin1', mode: 0o600 });
    renameSync(temporaryFile, this.#file);
    this.#lines = lines.length;
    this.#entries = lines.length;
    this.#stamp = readStamp(this.#file);
  }
}

function readStamp(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { ino, size, mtimeMs } = fstatSync(descriptor);
      return `${ino} ${size} ${mtimeMs}`;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

function formatLine({ path, entry, isSettled }: IndexedEntry): string {
  if (entry === undefined) return JSON.stringify([path]);
  const { kind, mode, uid, gid, size, mtimeMs, ctimeMs, inode, content, isClosed } = entry;
  return JSON.stringify([
    path,
    kinds.indexOf(kind),
    mode,
    uid,
    gid,
    size,
    mtimeMs,
    ctimeMs,
    inode,
    content,
    isSettled ? 1 : 0,
    isClosed === true ? 1 : 0,
  ]);
}

type Line = [
  path: string,
  kind?: number,
  mode?: number,
  uid?: number,
  gid?: number,
  size?: number,
  mtimeMs?: number,
  ctimeMs?: number,
  inode?: number,
  content?: string | null,
  settled?: number,
  isClosed?: number,
];

function parseLine(line: string): IndexedEntry {
  const [
    path,
    kind,
    mode = 0,
    uid = 0,
    gid = 0,
    size = 0,
    mtimeMs = 0,
    ctimeMs = 0,
    inode = 0,
    content = null,
    settled,
    closed,
  ] = JSON.parse(line) as Line;
  if (kind === undefined) return { path, isSettled: true };
  const isClosed = closed === 1;
  const entry = { kind: kinds[kind] ?? 'other', mode, uid, gid, size, mtimeMs, ctimeMs, inode, content, isClosed };
  return { path, entry, isSettled: settled === 1 };
}
