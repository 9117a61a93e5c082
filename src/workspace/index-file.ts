import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { Remembered, WorkspaceTree } from './workspace-tree.ts';

const format = 'signalbox workspace index 2';
const kinds = ['file', 'directory', 'symlink', 'other'] as const;
const longestTail = 5000;

/**
 * What is remembered of a workspace between processes: all entries, then what each look found to be different. A look counts
 * only when its last line is there, so that a write that was cut short is as if it had not begun.
 */
export class IndexFile {
  readonly #file: string;
  #stamp = '';
  #lines = 0;
  #entries = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Whether nobody else has written since this one last read or wrote. */
  isCurrent(): boolean {
    return this.#stamp !== '' && this.#stamp === stampOf(this.#file);
  }

  /** Reads everything into an empty tree. Nothing there, or nothing of use: the tree stays empty, and all is looked at anew. */
  load(tree: WorkspaceTree): void {
    this.#lines = 0;
    this.#stamp = stampOf(this.#file);
    if (this.#stamp === '') return;
    const lines = readFileSync(this.#file, 'latin1').split('\n');
    if (lines[0] !== format) return;
    const end = lines.lastIndexOf('.');
    for (let index = 1; index < end; index += 1) {
      const line = lines[index] ?? '';
      if (line !== '.') tree.remember(parse(line));
    }
    this.#lines = end;
    this.#entries = tree.size.files;
    // What follows a cut would be taken for a part of it.
    if (end !== lines.length - 2) this.#write(tree);
  }

  /** Writes what a look found. */
  save(tree: WorkspaceTree, remembered: readonly Remembered[]): void {
    if (this.#stamp === '' || this.#lines + remembered.length > 2 * this.#entries + longestTail)
      return this.#write(tree);
    if (remembered.length === 0) return undefined;
    const descriptor = openSync(this.#file, 'a');
    try {
      writeSync(descriptor, `${remembered.map(print).join('\n')}\n.\n`, null, 'latin1');
    } finally {
      closeSync(descriptor);
    }
    this.#lines += remembered.length + 1;
    this.#stamp = stampOf(this.#file);
    return undefined;
  }

  #write(tree: WorkspaceTree): void {
    const lines = [...tree.entries()].map(print);
    const unnamed = `${this.#file}.new`;
    writeFileSync(unnamed, [format, ...lines, '.', ''].join('\n'), { encoding: 'latin1', mode: 0o600 });
    renameSync(unnamed, this.#file);
    this.#lines = lines.length;
    this.#entries = lines.length;
    this.#stamp = stampOf(this.#file);
  }
}

function stampOf(file: string): string {
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

function print({ path, entry, settled }: Remembered): string {
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
    settled ? 1 : 0,
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

function parse(line: string): Remembered {
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
  if (kind === undefined) return { path, settled: true };
  const isClosed = closed === 1;
  const entry = { kind: kinds[kind] ?? 'other', mode, uid, gid, size, mtimeMs, ctimeMs, inode, content, isClosed };
  return { path, entry, settled: settled === 1 };
}
