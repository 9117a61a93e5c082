import type { DatabaseSync } from 'node:sqlite';
import type { EntryDraft, StoredEntry } from '../../journal/entry.ts';
import type { Appended, ChainHead } from '../../journal/store.ts';
import { newId } from '../../model/identifiers.ts';
import { JournalRows, type TableState } from './journal-rows.ts';
import { LinkedEntry, type Linkable } from './linked-entry.ts';
import { TailFile, fitsInLines, readTail, removeTail, tailFile, tailFiles, tailStart, takeTail } from './tail-file.ts';

/** What the table works with. */
export interface JournalTableOptions {
  readonly database: DatabaseSync;
  readonly writer: string;
  /** Where tails are kept; without one every append is a commit. */
  readonly tails: string | undefined;
  transaction(work: () => void): void;
  /** Writes what comes with an entry; false when the entry must not be written. */
  apply(draft: EntryDraft): boolean;
  /** Told how many entries a commit brought into the table. */
  onCommit(entries: number): void;
  /** How many entries may wait in the tail. */
  mostWaiting(): number;
}

interface OwnTail {
  readonly id: string;
  readonly file: TailFile;
  /** False when it was found to be taken away or could not be written. */
  isSound: boolean;
}

/** What was appended to the tail in one go. */
interface Batch {
  readonly entries: readonly LinkedEntry[];
  /** Where it ends in the file. */
  readonly end: number;
}

/** What a transaction is for: whoever writes takes the tail of another away, and what is dropped must be in no tail. */
type Purpose = 'reading' | 'writing' | 'dropping';

// Making a tail and taking it away costs as much as some twenty commits.
const commitsInPeace = 32;
/** So many are brought in in about a millisecond. */
const aBatch = 256;
/** A tail that has got so long makes way for another, when little of it has still to come into the table. */
const longTail = 8 * 1024 * 1024;
const little = 64;

/**
 * The journal in its table, and the tail before it. A process that writes alone for a while holds the tail: what it appends goes
 * to a file and comes into the table in batches. Everybody else brings the tail into the table before reading, and takes
 * it away before writing. Who holds it, and how much of it is in the table, stands in the database, so that all of this happens
 * under SQLite's lock.
 */
export class JournalTable {
  readonly #options: JournalTableOptions;
  readonly #rows: JournalRows;
  #head: ChainHead;
  #tail: OwnTail | undefined;
  /** Acknowledged, and not known to be in the table. */
  #pending: Batch[] = [];
  #waiting = 0;
  #peaceful = 0;

  constructor(options: JournalTableOptions) {
    this.#options = options;
    this.#rows = new JournalRows(options.database);
    const { seq, hash } = this.#rows.state();
    this.#head = { seq, hash };
  }

  /** The newest entry, so far as this process knows. */
  get head(): ChainHead {
    return this.#head;
  }

  /** How many entries of this process are not known to be in the table. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Writes all or nothing. `undefined` in the place of an entry that must not be written. */
  append(drafts: readonly EntryDraft[]): Appended {
    if (this.#waiting + drafts.length > this.#options.mostWaiting()) this.#relieve();
    const tail = this.#tail;
    if (tail?.isSound !== true || drafts.length > aBatch || drafts.some(hasMore)) return this.#commit(drafts, []);
    const entries = this.#linked(drafts);
    if (!entries.every(fitsInLines)) return this.#commit(drafts, []);
    if (!tail.file.append(entries)) {
      tail.isSound = false;
      return this.#commit(drafts, entries);
    }
    this.#pending.push({ entries, end: tail.file.size });
    this.#waiting += entries.length;
    this.#head = entries.at(-1) ?? this.#head;
    return entries;
  }

  /** Runs work that needs everything acknowledged so far in the table, whoever wrote it. */
  transaction(work: () => void): void {
    this.#transaction('reading', work);
  }

  /** The same for work that drops entries: no tail may still hold one of them. */
  dropping(work: () => void): void {
    this.#transaction('dropping', work);
  }

  /** Brings everything of this process into the table. */
  flush(): void {
    if (this.#waiting > 0) this.transaction(() => undefined);
  }

  /** Brings everything that was acknowledged into the table, also of other processes. */
  catchUp(): void {
    const { holder, seq, hash } = this.#rows.state();
    if (this.#waiting > 0 || (holder !== '' && holder !== this.#tail?.id)) this.transaction(() => undefined);
    else this.#head = { seq, hash };
  }

  /** Told what state the table is in after others of this process brought something into it. */
  broughtIn({ holder, done, seq, hash }: TableState): void {
    const tail = this.#tail;
    if (holder !== tail?.id) return;
    let count = 0;
    let last: LinkedEntry | undefined;
    for (const { entries, end } of this.#pending) {
      if (end > done) break;
      count += 1;
      this.#waiting -= entries.length;
      last = entries.at(-1);
    }
    if (count > 0) this.#pending = this.#pending.slice(count);
    const isElsewhere = last !== undefined && last.seq !== seq;
    if (!isElsewhere) last?.know(hash);
    const isLong = tail.file.size > longTail && this.#waiting <= little;
    if (isElsewhere || isLong) this.transaction(() => undefined);
  }

  /** Lets go of the tail. */
  close(): void {
    if (this.#tail === undefined) return;
    this.#tail.isSound = false;
    this.transaction(() => undefined);
  }

  /** Brings the oldest entries of the tail in, where too many wait: not all of them, for which a call would have to wait. */
  #relieve(): void {
    let state: TableState | undefined;
    let added = 0;
    this.#options.transaction(() => {
      const { holder, done, ...head } = this.#rows.state();
      if (holder === '' || holder !== this.#tail?.id) return;
      const entries: LinkedEntry[] = [];
      let end = done;
      for (const batch of this.#pending) {
        if (entries.length >= aBatch) break;
        if (batch.end <= done) continue;
        entries.push(...batch.entries);
        end = batch.end;
      }
      state = { holder, done: end, ...this.#rows.bringIn(entries, head) };
      this.#rows.setTail(holder, end);
      added = entries.length;
    });
    // Somebody took the tail away.
    if (state === undefined) return this.flush();
    this.#options.onCommit(added);
    this.broughtIn(state);
  }

  /** `added` was put into the tail, but nobody knows whether it counts. */
  #commit(drafts: readonly EntryDraft[], added: readonly LinkedEntry[]): Appended {
    const { tails, apply } = this.#options;
    const [only] = drafts;
    // Nobody else can write to memory, and SQLite's own transaction around a single statement is cheaper than one of ours.
    if (tails === undefined && only !== undefined && drafts.length === 1 && !hasMore(only)) return [this.#write(only)];
    let written: Appended = added;
    this.#transaction('writing', () => {
      const last = added.at(-1);
      if (last !== undefined && this.#rows.has(last)) return;
      written = drafts.map((draft) => (apply(draft) ? this.#write(draft) : undefined));
    });
    return written;
  }

  #transaction(purpose: Purpose, work: () => void): void {
    const [tail, before] = [this.#tail, this.#head];
    let settled: Settled = {};
    let added = 0;
    try {
      this.#options.transaction(() => {
        const state = this.#rows.state();
        this.#head = { seq: state.seq, hash: state.hash };
        settled = this.#settle(state, purpose);
        work();
        const isPeaceful = state.holder === '' && state.seq === before.seq;
        if (!isPeaceful) this.#peaceful = 0;
        else if (purpose === 'writing' && (this.#peaceful += 1) >= commitsInPeace)
          settled = { ...settled, tail: this.#take() };
        added = this.#head.seq - state.seq;
      });
    } catch (error) {
      this.#head = before;
      if (settled.tail !== tail) this.#end(settled.tail);
      throw error;
    }
    this.#pending = [];
    this.#waiting = 0;
    if (settled.tail !== tail) this.#end(tail);
    this.#tail = settled.tail;
    if (settled.leftover !== undefined) removeTail(settled.leftover);
    if (added > 0) this.#options.onCommit(added);
  }

  /** Brings the tail into the table, whosever it is. */
  #settle(state: TableState, purpose: Purpose): Settled {
    const tail = this.#tail;
    // Whoever took ours away has brought all of it into the table.
    if (state.holder === '') return {};
    if (state.holder === tail?.id) {
      const missing = this.#pending.filter(({ end }) => end > state.done).flatMap(({ entries }) => entries);
      this.#head = this.#rows.bringIn(missing, this.#head);
      return { tail: this.#keep(tail, state, purpose) };
    }
    const file = this.#fileOf(state.holder);
    if (purpose === 'reading') {
      const { seq, hash } = this.#rows.bringInTail(file, state);
      this.#head = { seq, hash };
      return {};
    }
    takeTail(file);
    this.#rows.setTail('', 0);
    this.#head = this.#rows.bringIn(readTail(file, state.done).entries, this.#head);
    return { leftover: file };
  }

  /** Says how much of our tail is in the table: all of it. One that is long or holds what is dropped makes way for another. */
  #keep(tail: OwnTail, { done }: TableState, purpose: Purpose): OwnTail | undefined {
    const { size } = tail.file;
    if (!tail.isSound) {
      this.#rows.setTail('', 0);
      return undefined;
    }
    const isOver = size > longTail || (purpose === 'dropping' && size > tailStart);
    const next = isOver ? this.#make() : undefined;
    if (next !== undefined) return next;
    if (purpose === 'dropping' && isOver) {
      this.#rows.setTail('', 0);
      return undefined;
    }
    if (size > done) this.#rows.setTail(tail.id, size);
    return tail;
  }

  /** Whatever other tails there are now are left over from processes that lost theirs. */
  #take(): OwnTail | undefined {
    const { tails } = this.#options;
    if (tails === undefined) return undefined;
    this.#peaceful = 0;
    try {
      tailFiles(tails).forEach(removeTail);
    } catch {
      return undefined;
    }
    return this.#make();
  }

  #make(): OwnTail | undefined {
    const id = newId('tail');
    let file: TailFile | undefined;
    try {
      file = new TailFile(this.#fileOf(id));
      this.#rows.setTail(id, tailStart);
      return { id, file, isSound: true };
    } catch {
      // No room or no permission: every append stays a commit.
      file?.close();
      removeTail(this.#fileOf(id));
      return undefined;
    }
  }

  #end(tail: OwnTail | undefined): void {
    if (tail === undefined) return;
    tail.file.close();
    removeTail(this.#fileOf(tail.id));
  }

  #fileOf(id: string): string {
    return tailFile(this.#options.tails ?? '', id);
  }

  #linked(drafts: readonly EntryDraft[]): LinkedEntry[] {
    let before = this.#head;
    return drafts.map((draft) => (before = new LinkedEntry(draft, this.#options.writer, before)));
  }

  #write({ at, type, call, session, tool, outcome, body }: Linkable): StoredEntry {
    const { writer } = this.#options;
    const entry = { seq: this.#head.seq + 1, at, type, call, session, tool, outcome, writer, body };
    const hash = this.#rows.store(entry, this.#head.hash);
    this.#head = { seq: entry.seq, hash };
    return { ...entry, hash };
  }
}

/** What became of the tail in a transaction. */
interface Settled {
  /** The one this process holds now. */
  readonly tail?: OwnTail | undefined;
  /** The file of a tail that was taken away from another process. */
  readonly leftover?: string;
}

/** What an entry can bring with it; whoever adds to it is told here by the compiler. */
const more: Record<Exclude<keyof EntryDraft, keyof Linkable>, true> = {
  claim: true,
  settle: true,
  approval: true,
  recording: true,
  token: true,
};
const moreKeys = Object.keys(more) as (keyof typeof more)[];

/** Whether something besides the entry is written with it. */
function hasMore(draft: EntryDraft): boolean {
  for (const key of moreKeys) if (draft[key] !== undefined) return true;
  return false;
}
