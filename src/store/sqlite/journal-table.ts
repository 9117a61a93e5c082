import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EntryDraft, StoredEntry } from '../../journal/entry.ts';
import type { Appended, ChainHead } from '../../journal/store.ts';
import { newId } from '../../model/identifiers.ts';
import { LinkedEntry, type Linkable } from './linked-entry.ts';
import { TailFile, type UnhashedEntry, fitsInLines, readTail, removeTail, takeTail } from './tail-file.ts';

/** The one row that says whose tail counts; empty when nobody's does. */
export const tailSchema = `
CREATE TABLE tail (id INTEGER PRIMARY KEY CHECK (id = 1), holder TEXT NOT NULL) STRICT;
INSERT INTO tail VALUES (1, '');
`;

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
}

interface OwnTail {
  readonly id: string;
  readonly file: TailFile;
  /** False when it was found to be taken away or could not be written. */
  isSound: boolean;
}

interface State extends ChainHead {
  readonly holder: string;
}

const ending = '.tail';
// Making a tail and taking it away costs as much as some twenty commits.
const commitsInPeace = 32;
const mostPending = 256;

/**
 * The journal in its table, and the tail before it. A process that writes alone for a while holds the tail: what it appends goes
 * to a file and comes into the table in batches. Everybody else brings the tail into the table before reading, and takes
 * it away before writing. Who holds it stands in the database, so that all of this happens under SQLite's lock.
 */
export class JournalTable {
  readonly #options: JournalTableOptions;
  readonly #insert: StatementSync;
  readonly #readState: StatementSync;
  readonly #find: StatementSync;
  readonly #setHolder: StatementSync;
  #head: ChainHead;
  #tail: OwnTail | undefined;
  /** Acknowledged, and not in the table yet. */
  #pending: StoredEntry[] = [];
  #peaceful = 0;

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
    this.#head = this.#state();
  }

  /** The newest entry, so far as this process knows. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Writes all or nothing. `undefined` in the place of an entry that must not be written. */
  append(drafts: readonly EntryDraft[]): Appended {
    if (this.#pending.length + drafts.length > mostPending) this.flush();
    const tail = this.#tail;
    if (tail?.isSound !== true || drafts.length > mostPending || drafts.some(hasMore)) return this.#commit(drafts, []);
    const entries = this.#linked(drafts);
    if (!entries.every(fitsInLines)) return this.#commit(drafts, []);
    if (!tail.file.append(entries)) {
      tail.isSound = false;
      return this.#commit(drafts, entries);
    }
    this.#pending.push(...entries);
    this.#head = entries.at(-1) ?? this.#head;
    return entries;
  }

  /** Runs work that needs everything acknowledged so far in the table, whoever wrote it. */
  transaction(work: () => void): void {
    this.#transaction(false, work);
  }

  /** The same for work that drops entries: a tail that still held one of them would bring it back. */
  dropping(work: () => void): void {
    this.#transaction(true, work);
  }

  /** Brings everything of this process into the table. */
  flush(): void {
    if (this.#pending.length > 0) this.transaction(() => undefined);
  }

  /** Brings everything that was acknowledged into the table, also of other processes. */
  catchUp(): void {
    const { holder, seq, hash } = this.#state();
    if (this.#pending.length > 0 || (holder !== '' && holder !== this.#tail?.id)) this.transaction(() => undefined);
    else this.#head = { seq, hash };
  }

  /** Lets go of the tail. */
  close(): void {
    if (this.#tail === undefined) return;
    this.#tail.isSound = false;
    this.transaction(() => undefined);
  }

  /** `added` was put into the tail, but nobody knows whether it counts. */
  #commit(drafts: readonly EntryDraft[], added: readonly StoredEntry[]): Appended {
    const { tails, apply } = this.#options;
    const [only] = drafts;
    // Nobody else can write to memory, and SQLite's own transaction around a single statement is cheaper than one of ours.
    if (tails === undefined && only !== undefined && drafts.length === 1 && !hasMore(only)) return [this.#write(only)];
    let written: Appended = added;
    this.#transaction(true, () => {
      const last = added.at(-1);
      if (last !== undefined && this.#has(last)) return;
      written = drafts.map((draft) => (apply(draft) ? this.#write(draft) : undefined));
    });
    return written;
  }

  #transaction(isWriting: boolean, work: () => void): void {
    const [tail, before] = [this.#tail, this.#head];
    let settled: Settled = { isOurs: false };
    let taken: OwnTail | undefined;
    let added = 0;
    try {
      this.#options.transaction(() => {
        const state = this.#state();
        this.#head = { seq: state.seq, hash: state.hash };
        settled = this.#settle(state, isWriting);
        work();
        const isPeaceful = state.holder === '' && state.seq === before.seq;
        if (!isPeaceful) this.#peaceful = 0;
        else if (isWriting && (this.#peaceful += 1) >= commitsInPeace) taken = this.#take();
        added = this.#head.seq - state.seq;
      });
    } catch (error) {
      this.#head = before;
      this.#end(taken);
      throw error;
    }
    this.#pending = [];
    if (settled.isOurs) tail?.file.clear();
    else this.#end(tail);
    this.#tail = taken ?? (settled.isOurs ? tail : undefined);
    if (settled.leftover !== undefined) removeTail(settled.leftover);
    if (added > 0) this.#options.onCommit(added);
  }

  /** Brings the tail into the table, whosever it is. */
  #settle({ holder }: State, isWriting: boolean): Settled {
    const tail = this.#tail;
    // Whoever took ours away has brought all of it into the table.
    if (holder === '') return { isOurs: false };
    if (holder === tail?.id) {
      this.#bringIn(this.#pending);
      if (!tail.isSound) this.#setHolder.run('');
      return { isOurs: tail.isSound };
    }
    const file = this.#fileOf(holder);
    if (isWriting) {
      takeTail(file);
      this.#setHolder.run('');
    }
    this.#bringIn(readTail(file));
    return { isOurs: false, ...(isWriting ? { leftover: file } : {}) };
  }

  /**
   * What is in the table already, another process brought in to read it. One of an earlier version knows of no tail and may have
   * written in between: then what comes after gets another place. After a power loss the table may be behind the tail.
   */
  #bringIn(entries: readonly UnhashedEntry[]): void {
    for (const entry of entries) {
      if (entry.seq <= this.#head.seq && this.#has(entry)) continue;
      if (entry.seq > this.#head.seq + 1) break;
      this.#store(new LinkedEntry(entry, entry.writer, this.#head));
    }
  }

  /** Makes a tail; whatever other tails there are now are left over from processes that lost theirs. */
  #take(): OwnTail | undefined {
    const { tails } = this.#options;
    if (tails === undefined) return undefined;
    this.#peaceful = 0;
    try {
      for (const name of readdirSync(tails)) if (name.endsWith(ending)) removeTail(join(tails, name));
      const id = newId('tail');
      const tail = { id, file: new TailFile(this.#fileOf(id)), isSound: true };
      this.#setHolder.run(id);
      return tail;
    } catch {
      // No room or no permission: every append stays a commit.
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

  #linked(drafts: readonly EntryDraft[]): LinkedEntry[] {
    let before = this.#head;
    return drafts.map((draft) => (before = new LinkedEntry(draft, this.#options.writer, before)));
  }

  #write(draft: Linkable): StoredEntry {
    return this.#store(new LinkedEntry(draft, this.#options.writer, this.#head));
  }

  #store({ seq, at, type, call, session, tool, outcome, writer, body, hash }: StoredEntry): StoredEntry {
    this.#insert.run(seq, at, type, call, session, tool, outcome, writer, body, hash);
    this.#head = { seq, hash };
    return { seq, at, type, call, session, tool, outcome, writer, body, hash };
  }

  #state(): State {
    return this.#readState.get() as unknown as State;
  }

  #has({ seq, at, type, call, writer, body }: UnhashedEntry): boolean {
    return this.#find.get(seq, at, type, call, writer, body) !== undefined;
  }
}

/** What became of the tail in a transaction. */
interface Settled {
  readonly isOurs: boolean;
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
