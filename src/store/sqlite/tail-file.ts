import { closeSync, fstatSync, openSync, readSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEntry } from '../../journal/entry.ts';

/** An entry as it stands in a tail: its hash follows from the entry before it. */
export type UnhashedEntry = Omit<StoredEntry, 'hash'>;

/** A stretch of a tail: whole batches, and where they end in the file. */
export interface TailPart {
  readonly entries: readonly UnhashedEntry[];
  readonly end: number;
}

// The first character tells whether whoever made the file may still count on it.
const held = 'held\n';
const taken = 't';
const linesOfEntry = 9;
const lineBreak = 10;

/** Where entries begin in a tail. */
export const tailStart = held.length;

const ending = '.tail';

/** Where the tail of that name is. */
export function tailFile(directory: string, id: string): string {
  return join(directory, `${id}${ending}`);
}

/** All tails there are. */
export function tailFiles(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name));
}

/**
 * A file with the entries that were acknowledged and may not be in the database yet. Appending to it costs a tenth of a commit. It
 * belongs to the process that made it until another takes it away. Nothing in it is ever changed or cut off: whoever reads it
 * finds what was there, and the database says how much of it is in the table.
 */
export class TailFile {
  readonly #descriptor: number;
  readonly #first = Buffer.alloc(1);
  #size = tailStart;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'ax+', 0o600);
    try {
      writeSync(this.#descriptor, held);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  /** How much was appended and counts. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds entries, all or none. True when they count: they are written, and the file was not taken away before that. Whoever takes
   * it away marks it first and reads it then, so that one of the two always sees the other.
   */
  append(entries: readonly UnhashedEntry[]): boolean {
    const text = textOf(entries);
    try {
      const written = writeSync(this.#descriptor, text);
      if (written !== Buffer.byteLength(text) || !this.#isHeld()) return false;
      this.#size += written;
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #isHeld(): boolean {
    return readSync(this.#descriptor, this.#first, 0, 1, 0) === 1 && this.#first[0] === held.charCodeAt(0);
  }
}

/** Takes a tail away from the process that made it: nothing that is added from now on counts. */
export function takeTail(file: string): void {
  const descriptor = opened(file, 'r+');
  if (descriptor === undefined) return;
  try {
    writeSync(descriptor, taken, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes a tail that counts no more. One that stays is removed by whoever makes the next. */
export function removeTail(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/**
 * Entries of a tail from a place on, so many bytes of them, or one batch where that has more. A batch that was not written
 * to its end was never acknowledged, and is left out.
 */
export function readTail(file: string, from: number, most = Infinity): TailPart {
  const start = Math.max(from, tailStart);
  const descriptor = opened(file, 'r');
  if (descriptor === undefined) return { entries: [], end: start };
  try {
    const size = fstatSync(descriptor).size - start;
    for (let length = Math.min(size, most); ; length = Math.min(size, length * 2)) {
      const part = partOf(read(descriptor, start, length), start);
      if (part.entries.length > 0 || length >= size) return part;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Whether an entry can stand in lines. All that Signalbox writes can; see `linkHash`. */
export function fitsInLines({ at, call, session, tool, body }: UnhashedEntry): boolean {
  return (
    Number.isSafeInteger(at) &&
    !body.includes('\n') &&
    !session.includes('\n') &&
    !tool.includes('\n') &&
    !call.includes('\n')
  );
}

function opened(file: string, flags: string): number | undefined {
  try {
    return openSync(file, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function read(descriptor: number, start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(length, 0));
  let got = 0;
  while (got < bytes.length) {
    const more = readSync(descriptor, bytes, got, bytes.length - got, start + got);
    if (more === 0) break;
    got += more;
  }
  return bytes.subarray(0, got);
}

function partOf(bytes: Buffer, start: number): TailPart {
  // What stands after the last line break is no whole line.
  const written = bytes.lastIndexOf(lineBreak) + 1;
  const lines = bytes.toString('utf8', 0, written).split('\n');
  const count = lines.length - 1;
  const entries: UnhashedEntry[] = [];
  let [whole, wholeLines] = [0, 0];
  for (let index = 0; index < count;) {
    if (lines[index] === '') {
      index += 1;
      [whole, wholeLines] = [entries.length, index];
    } else {
      entries.push(entryOf(lines, index));
      index += linesOfEntry;
    }
  }
  entries.length = whole;
  return { entries, end: start + (wholeLines === count ? written : endOfLine(bytes, wholeLines)) };
}

/** Where so many lines end. Not by the length of their text: what a power loss left behind need not be text. */
function endOfLine(bytes: Buffer, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines; line += 1) end = bytes.indexOf(lineBreak, end) + 1;
  return end;
}

function textOf(entries: readonly UnhashedEntry[]): string {
  let text = '';
  for (const { seq, at, type, call, session, tool, outcome, writer, body } of entries)
    text += `${seq}\n${at}\n${type}\n${call}\n${session}\n${tool}\n${outcome}\n${writer}\n${body}\n`;
  return `${text}\n`;
}

function entryOf(lines: readonly string[], from: number): UnhashedEntry {
  return {
    seq: Number(lines[from]),
    at: Number(lines[from + 1]),
    type: lines[from + 2] as StoredEntry['type'],
    call: lines[from + 3] ?? '',
    session: lines[from + 4] ?? '',
    tool: lines[from + 5] ?? '',
    outcome: lines[from + 6] as StoredEntry['outcome'],
    writer: lines[from + 7] ?? '',
    body: lines[from + 8] ?? '',
  };
}
