import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import type { StoredEntry } from '../../../journal/entries/stored-entry.ts';

/** An entry in a tail. Its hash follows from the entry before it. */
export type UnhashedEntry = Omit<StoredEntry, 'hash'>;

// The first character shows whether the process that created the file still owns it.
const held = 'held\n';
const taken = 't';
const hole = '\0';
const linesOfEntry = 9;
/** Longer texts are encoded into a new buffer each time. */
const bufferChars = 8 * 1024;
const maxBytesPerChar = 3;

/**
 * A file with the acknowledged entries that are not in the database yet, and some before them. Appending costs a tenth of a
 * commit. It belongs to the process that created it until another one revokes it. It only grows, because others may read it
 * while its owner writes.
 */
export class TailFile {
  readonly #descriptor: number;
  readonly #first = Buffer.alloc(1);
  readonly #bytes = Buffer.allocUnsafeSlow(bufferChars * maxBytesPerChar);
  #size = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'ax+', 0o600);
    try {
      writeSync(this.#descriptor, held);
    } catch (error) {
      closeSync(this.#descriptor);
      removeTail(file);
      throw error;
    }
  }

  /** The size of the entries in bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds entries, all or none. Returns true when they count: they are written, and no other process took the file before that. A
   * process that takes the file marks it before it reads it, so that one of the two always sees the other.
   */
  append(entries: readonly UnhashedEntry[]): boolean {
    const text = textOf(entries);
    // A NUL would look like the gap that a power loss leaves.
    if (text.includes(hole)) return false;
    try {
      const bytes = text.length > bufferChars ? Buffer.from(text) : this.#bytes;
      const size = bytes === this.#bytes ? bytes.write(text) : bytes.length;
      const written = writeSync(this.#descriptor, bytes, 0, size);
      this.#size += written;
      return written === size && this.#isHeld();
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

/** Revokes a tail from the process that created it. Later appends do not count. */
export function revokeTail(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, taken, 0);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes an invalid tail. If that fails, the process that creates the next tail removes it. */
export function removeTail(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/**
 * The entries of a tail. A batch that was not written to its end was never acknowledged, and is left out. After a power loss
 * there may be content missing in the middle: what comes after that is left out too.
 */
export function readTail(file: string): UnhashedEntry[] {
  if (!existsSync(file)) return [];
  const [text = ''] = readFileSync(file, 'utf8').split(hole, 1);
  // The text after the last line break is an incomplete line.
  const lines = text.split('\n').slice(1, -1);
  const entries: UnhashedEntry[] = [];
  let batch: UnhashedEntry[] = [];
  for (let index = 0; index < lines.length;) {
    if (lines[index] === '') {
      entries.push(...batch);
      batch = [];
      index += 1;
    } else {
      batch.push(entryOf(lines.slice(index, index + linesOfEntry)));
      index += linesOfEntry;
    }
  }
  return entries;
}

/** Returns whether an entry can be stored as lines. This holds for everything that Signalbox writes; see `linkHash`. */
export function fitsInLines({ at, call, session, tool, body }: UnhashedEntry): boolean {
  return (
    Number.isSafeInteger(at) &&
    !body.includes('\n') &&
    !session.includes('\n') &&
    !tool.includes('\n') &&
    !call.includes('\n')
  );
}

function textOf(entries: readonly UnhashedEntry[]): string {
  let text = '';
  for (const { seq, at, type, call, session, tool, outcome, writer, body } of entries)
    text += `${seq}\n${at}\n${type}\n${call}\n${session}\n${tool}\n${outcome}\n${writer}\n${body}\n`;
  return `${text}\n`;
}

function entryOf(lines: readonly string[]): UnhashedEntry {
  const [seq, at, type, call = '', session = '', tool = '', outcome, writer = '', body = ''] = lines;
  return {
    seq: Number(seq),
    at: Number(at),
    type: type as StoredEntry['type'],
    call,
    session,
    tool,
    outcome: outcome as StoredEntry['outcome'],
    writer,
    body,
  };
}
