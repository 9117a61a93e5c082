import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import type { StoredEntry } from '../../../journal/entries/stored-entry.ts';

/** An entry as it stands in a tail: its hash follows from the entry before it. */
export type UnhashedEntry = Omit<StoredEntry, 'hash'>;

// The first character tells whether whoever made the file may still count on it.
const held = 'held\n';
const taken = 't';
const hole = '\0';
const linesOfEntry = 9;
/** What is longer is turned into bytes by Node, which makes a new place for them each time. */
const bufferChars = 8 * 1024;
const maxBytesPerChar = 3;

/**
 * A file with the entries that were acknowledged and are not in the database yet, and some before them. Appending to it costs a
 * tenth of a commit. It belongs to the process that made it until another takes it away. It only ever grows: whoever reads it
 * does so while its owner writes.
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

  /** How many bytes of entries are in it. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds entries, all or none. True when they count: they are written, and the file was not taken away before that. Whoever takes
   * it away marks it first and reads it then, so that one of the two always sees the other.
   */
  append(entries: readonly UnhashedEntry[]): boolean {
    const text = textOf(entries);
    // It would be taken for the hole that a power loss leaves.
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

/** Takes a tail away from the process that made it: nothing that is added from now on counts. */
export function revokeTail(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r+');
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
 * The entries of a tail. A batch that was not written to its end was never acknowledged, and is left out. After a power loss
 * there may be content missing in the middle: what comes after that is left out too.
 */
export function readTail(file: string): UnhashedEntry[] {
  if (!existsSync(file)) return [];
  const [text = ''] = readFileSync(file, 'utf8').split(hole, 1);
  // What stands after the last line break is no whole line.
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
