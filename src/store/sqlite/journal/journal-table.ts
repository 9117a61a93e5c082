import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { StatementSync } from 'node:sqlite';
import type { EntryDraft, StoredEntry } from '../../../journal/entries/stored-entry.ts';
import type { Appended, ChainHead } from '../../../journal/store/store.ts';
import { newId } from '../../../core/identifiers.ts';
import { hasSideWrites } from '../../tables/side-writes.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';
import { LinkedEntry, type UnlinkedEntry } from './linked-entry.ts';
import { TailFile, type UnhashedEntry, fitsInLines, readTail, removeTail, revokeTail } from './tail-file.ts';

/** The dependencies of the journal table. */
export interface JournalTableOptions {
  readonly database: SqliteDatabase;
  readonly writer: string;
  /** The directory of tail files. Without it, every append is a commit. */
  readonly tails: string | undefined;
  /** Applies the side writes of an entry. Returns false when the entry must not be written. */
  apply(draft: EntryDraft): boolean;
}

interface OwnTail {
  readonly id: string;
  readonly file: TailFile;
  /** False when another process revoked it or a write failed. */
  isValid: boolean;
  /** Its size when all of it was in the table. */
  settledSize: number;
}

interface State extends ChainHead {
  readonly holder: string;
}

const ending = '.tail';
// Creating and revoking a tail costs as much as about twenty commits.
const commitsBeforeTail = 32;
// `JournalIndex` drains the tail before this limit, unless thousands of calls end at once: then all wait for about 20 ms.
const maxPendingEntries = 4096;
const maxPendingBytes = 4 * 1024 * 1024;
// Takes one or two milliseconds.
const smallStepEntries = 256;
// Readers read the whole file, including entries already in the table, so it is replaced at this size.
const maxSettledBytes = 64 * 1024;

/**
 * The journal table and its tail file. A process that has been the only writer for a while holds the tail: its appends go to the
 * file and move into the table in batches. Other processes move the tail into the table before they read, and revoke it before
 * they write. The holder is recorded in the database, so all of this happens under SQLite's lock.
 */
export class JournalTable {
  readonly #options: JournalTableOptions;
  readonly #insert: StatementSync;
  readonly #readState: StatementSync;
  readonly #find: StatementSync;
  readonly #setHolder: StatementSync;
  /** The newest entry in the table that this process knows. */
  #stored: ChainHead;
  #tail: OwnTail | undefined;
  /** Acknowledged entries that are not in the table yet. */
  #pending: LinkedEntry[] = [];
  /** The number of consecutive commits between which no other process wrote. */
  #undisturbedCommits = 0;
  /** The newest entry that another process may have written. */
  #newestOfOthers: number;

  constructor(options: JournalTableOptions) {
    const { database } = options;
    this.#options = options;
    this.#insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#find = database.prepare(
      'SELECT seq FROM journal WHERE seq = ? AND at = ? AND type = ? AND call = ? AND writer = ? AND body = ?',
    );
    this.#setHolder = database.prepare('UPDATE tail SET holder = ?');
    this.#readState = database.prepare(
      `SELECT holder, ifnull(seq, 0) AS seq, ifnull(hash, '') AS hash
       FROM tail LEFT JOIN journal ON journal.seq = (SELECT max(seq) FROM journal)`,
    );
    this.#stored = this.#state();
    this.#newestOfOthers = this.#stored.seq;
  }

  /** The newest entry that this process knows. */
  get head(): ChainHead {
    return this.#pending.at(-1) ?? this.#stored;
  }

  /** Returns the newest place if this process wrote every entry after `seq`. */
  ownSince(seq: number): number | undefined {
    if (this.#options.tails !== undefined) {
      const { holder, seq: stored } = this.#state();
      if (holder !== '' && holder !== this.#tail?.id) return undefined;
      if (stored > this.head.seq) this.#newestOfOthers = stored;
    }
    return this.#newestOfOthers > seq ? undefined : this.head.seq;
  }

  /** Appends all entries or none. The result has `undefined` in place of an entry that must not be written. */
  append(drafts: readonly EntryDraft[]): Appended {
    if (this.#isFull(drafts.length)) this.transaction(() => undefined);
    const tail = this.#tail;
    if (tail?.isValid !== true || drafts.length > maxPendingEntries) return this.#commit(drafts, []);
    const entries = this.#linked(drafts);
    if (entries === undefined) return this.#commit(drafts, []);
    if (!tail.file.append(entries)) {
      tail.isValid = false;
      return this.#commit(drafts, entries);
    }
    for (const entry of entries) this.#pending.push(entry);
    return entries;
  }

  /**
   * Runs work after all acknowledged entries of all processes, but at most `maxPending` pending ones of this process, were moved into
   * the table. Passes the newest entry of the table.
   */
  transaction(work: (head: ChainHead) => void, maxPending = Infinity): void {
    this.#transaction('reading', work, maxPending);
  }

  /** Runs work that drops entries. Also replaces the own tail, which could otherwise restore a dropped entry. */
  dropTransaction(work: () => void): void {
    this.#transaction('dropping', work);
  }

  /** Moves the pending entries of this process into the table in small steps, so that other tasks can run in between. */
  async drainPending(): Promise<void> {
    for (let left = this.#pending.length; left > 0; left -= smallStepEntries) {
      this.transaction(() => undefined, smallStepEntries);
      if (left > smallStepEntries) await yieldTurn();
    }
  }

  /** Moves all acknowledged entries into the table, including those of other processes. */
  catchUp(): void {
    const { holder, seq, hash } = this.#state();
    if (this.#pending.length > 0 || (holder !== '' && holder !== this.#tail?.id)) this.transaction(() => undefined);
    else {
      if (seq > this.#stored.seq) this.#newestOfOthers = seq;
      this.#stored = { seq, hash };
    }
  }

  /** Releases the tail. */
  close(): void {
    if (this.#tail === undefined) return;
    this.#tail.isValid = false;
    this.transaction(() => undefined);
  }

  /** Commits entries to the table. `added` was written to the tail, but the tail may have been revoked. */
  #commit(drafts: readonly EntryDraft[], added: readonly StoredEntry[]): Appended {
    const { tails, apply } = this.#options;
    const [only] = drafts;
    // Nobody else can write to memory, and SQLite's own transaction around a single statement is cheaper than one of ours.
    if (tails === undefined && only !== undefined && drafts.length === 1 && !hasSideWrites(only))
      return [this.#write(only)];
    let written: Appended = added;
    this.#transaction('writing', () => {
      const last = added.at(-1);
      if (last !== undefined && this.#has(last)) return;
      written = drafts.map((draft) => (!hasSideWrites(draft) || apply(draft) ? this.#write(draft) : undefined));
    });
    return written;
  }

  #transaction(purpose: Purpose, work: (head: ChainHead) => void, maxPending = Infinity): void {
    const [tail, before, { seq: known }] = [this.#tail, this.#stored, this.head];
    let settled: Settled = { moved: 0 };
    let next: OwnTail | undefined;
    let added = 0;
    try {
      this.#options.database.transactionSync(() => {
        const state = this.#state();
        this.#stored = { seq: state.seq, hash: state.hash };
        settled = this.#settle(state, purpose, maxPending);
        const isOthers = settled.remaining !== undefined || settled.leftover !== undefined;
        if (state.seq > known || isOthers) this.#newestOfOthers = this.#stored.seq;
        next = settled.tail;
        work(this.#stored);
        const isUndisturbed = state.holder === '' && state.seq === known;
        if (!isUndisturbed) this.#undisturbedCommits = 0;
        else if (purpose !== 'reading' && (this.#undisturbedCommits += 1) >= commitsBeforeTail) next = this.#takeTail();
        const holder = settled.remaining ?? next?.id ?? '';
        if (holder !== state.holder) this.#setHolder.run(holder);
        added = this.#stored.seq - state.seq;
      });
    } catch (error) {
      this.#stored = before;
      if (next !== tail) this.#end(next);
      throw error;
    }
    this.#pending.splice(0, settled.moved);
    if (next !== tail) this.#end(tail);
    else if (next !== undefined && this.#pending.length === 0) next.settledSize = next.file.size;
    this.#tail = next;
    if (settled.leftover !== undefined) removeTail(settled.leftover);
    if (added > 0) this.#options.database.noteCommit(added);
  }

  /** Moves the valid tail into the table, of this process or another one. */
  #settle({ holder }: State, purpose: Purpose, maxPending: number): Settled {
    const tail = this.#tail;
    const all = this.#pending.length;
    // The process that took our tail has moved all of it into the table.
    if (holder === '') return { moved: all };
    if (holder === tail?.id) {
      const moved = tail.isValid && purpose === 'reading' ? Math.min(maxPending, all) : all;
      this.#moveIntoTable(this.#pending.slice(0, moved));
      const isLong = tail.file.size > maxSettledBytes && moved === all;
      return { moved, tail: purpose === 'dropping' || isLong || !tail.isValid ? this.#successor(tail) : tail };
    }
    const file = this.#fileOf(holder);
    if (purpose === 'reading') {
      this.#moveIntoTable(readTail(file));
      return { moved: all, remaining: holder };
    }
    revokeTail(file);
    this.#moveIntoTable(readTail(file));
    return { moved: all, leftover: file };
  }

  /**
   * Moves entries into the table. Skips those that another process has moved there already to read them. A process of an earlier
   * version ignores tails and may have written in between; then the remaining entries get new sequence numbers. After a power
   * loss, the table may be behind the tail.
   */
  #moveIntoTable(entries: readonly (UnhashedEntry | LinkedEntry)[]): void {
    const last = entries.findLastIndex((entry) => entry.seq <= this.#stored.seq && this.#has(entry));
    for (const entry of entries.slice(last + 1)) {
      if (entry.seq > this.#stored.seq + 1) break;
      const isLinked = entry instanceof LinkedEntry && entry.follows(this.#stored);
      this.#store(isLinked ? entry : new LinkedEntry(entry, entry.writer, this.#stored));
    }
  }

  /** Creates a tail and removes the leftovers of other processes. */
  #takeTail(): OwnTail | undefined {
    const { tails } = this.#options;
    if (tails === undefined) return undefined;
    this.#undisturbedCommits = 0;
    try {
      for (const name of readdirSync(tails)) if (name.endsWith(ending)) removeTail(join(tails, name));
    } catch {}
    return this.#createTail();
  }

  /** Creates the replacement of a tail that is long or must not be read again. The old one stays valid until the commit. */
  #successor({ isValid }: OwnTail): OwnTail | undefined {
    return isValid ? this.#createTail() : undefined;
  }

  #createTail(): OwnTail | undefined {
    const id = newId('tail');
    try {
      return { id, file: new TailFile(this.#fileOf(id)), isValid: true, settledSize: 0 };
    } catch {
      // No room or no permission: every append is a commit.
      return undefined;
    }
  }

  #end(tail: OwnTail | undefined): void {
    if (tail === undefined) return;
    tail.file.close();
    removeTail(this.#fileOf(tail.id));
  }

  #fileOf(id: string): string {
    return join(this.#options.tails ?? '', `${id}${ending}`);
  }

  #isFull(more: number): boolean {
    const tail = this.#tail;
    if (tail === undefined || this.#pending.length === 0) return false;
    return this.#pending.length + more > maxPendingEntries || tail.file.size - tail.settledSize > maxPendingBytes;
  }

  /** Links the entries into the chain; `undefined` when one cannot be stored in a tail. */
  #linked(drafts: readonly EntryDraft[]): LinkedEntry[] | undefined {
    const entries: LinkedEntry[] = [];
    let before = this.head;
    for (const draft of drafts) {
      if (hasSideWrites(draft)) return undefined;
      const entry = new LinkedEntry(draft, this.#options.writer, before);
      if (!fitsInLines(entry)) return undefined;
      entries.push(entry);
      before = entry;
    }
    return entries;
  }

  #write(draft: UnlinkedEntry): StoredEntry {
    return this.#store(new LinkedEntry(draft, this.#options.writer, this.#stored));
  }

  #store({ seq, at, type, call, session, tool, outcome, writer, body, hash }: StoredEntry): StoredEntry {
    this.#insert.run(seq, at, type, call, session, tool, outcome, writer, body, hash);
    this.#stored = { seq, hash };
    return { seq, at, type, call, session, tool, outcome, writer, body, hash };
  }

  #state(): State {
    return this.#readState.get() as unknown as State;
  }

  #has({ seq, at, type, call, writer, body }: UnhashedEntry): boolean {
    return this.#find.get(seq, at, type, call, writer, body) !== undefined;
  }
}

/** The purpose of a transaction: writing revokes the tail of another process, dropping also replaces the own one. */
type Purpose = 'reading' | 'writing' | 'dropping';

/** The state of the tail after a transaction. */
interface Settled {
  /** The number of pending entries that moved into the table. */
  readonly moved: number;
  /** The own tail after the transaction. */
  readonly tail?: OwnTail | undefined;
  /** The tail of another process that was only read. */
  readonly remaining?: string;
  /** The file of a tail that was taken away from another process. */
  readonly leftover?: string;
}
