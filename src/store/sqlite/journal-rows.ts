import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { linkHash } from '../../journal/chain.ts';
import type { ChainHead } from '../../journal/store.ts';
import { LinkedEntry } from './linked-entry.ts';
import { type UnhashedEntry, readTail } from './tail-file.ts';

/** The one row that says whose tail counts; empty when nobody's does. */
export const tailSchema = `
CREATE TABLE tail (id INTEGER PRIMARY KEY CHECK (id = 1), holder TEXT NOT NULL) STRICT;
INSERT INTO tail VALUES (1, '');
`;

/** How many bytes of the tail are in the table. */
export const tailDoneSchema = 'ALTER TABLE tail ADD COLUMN done INTEGER NOT NULL DEFAULT 0';

/** The newest entry in the table, whose tail comes after it, and how much of that is in the table. */
export interface TableState extends ChainHead {
  readonly holder: string;
  readonly done: number;
}

/** The rows of the journal. Whoever writes them holds SQLite's lock. */
export class JournalRows {
  readonly #insert: StatementSync;
  readonly #readState: StatementSync;
  readonly #find: StatementSync;
  readonly #setTail: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#find = database.prepare(
      'SELECT seq FROM journal WHERE seq = ? AND at = ? AND type = ? AND call = ? AND writer = ? AND body = ?',
    );
    this.#setTail = database.prepare('UPDATE tail SET holder = ?, done = ?');
    this.#readState = database.prepare(
      `SELECT holder, done, ifnull(seq, 0) AS seq, ifnull(hash, '') AS hash
       FROM tail LEFT JOIN journal ON journal.seq = (SELECT max(seq) FROM journal)`,
    );
  }

  state(): TableState {
    const { holder, done, seq, hash } = this.#readState.get() as unknown as TableState;
    return { holder, done, seq, hash };
  }

  setTail(holder: string, done: number): void {
    this.#setTail.run(holder, done);
  }

  has({ seq, at, type, call, writer, body }: UnhashedEntry): boolean {
    return this.#find.get(seq, at, type, call, writer, body) !== undefined;
  }

  /** Writes an entry after the one with that hash; returns its own. */
  store(entry: UnhashedEntry, previous: string): string {
    const { seq, at, type, call, session, tool, outcome, writer, body } = entry;
    const hash = linkHash(previous, entry);
    this.#insert.run(seq, at, type, call, session, tool, outcome, writer, body, hash);
    return hash;
  }

  /**
   * Writes entries of a tail after the head; returns the new head. A process of an earlier version knows of no tail and may have
   * written in between: then what comes after gets another place. After a power loss the table may be behind the tail.
   */
  bringIn(entries: readonly UnhashedEntry[], head: ChainHead): ChainHead {
    let { seq, hash } = head;
    for (const entry of entries) {
      if (entry.seq <= seq && this.has(entry)) continue;
      if (entry.seq > seq + 1) break;
      seq += 1;
      hash = this.store(entry.seq === seq ? entry : { ...entry, seq }, hash);
      if (entry instanceof LinkedEntry && entry.seq === seq) entry.know(hash);
    }
    return { seq, hash };
  }

  /** Brings a tail into the table, or so many bytes of it; returns the state after that. */
  bringInTail(file: string, state: TableState, most?: number): TableState {
    const { entries, end } = readTail(file, state.done, most);
    if (entries.length === 0) return state;
    const { seq, hash } = this.bringIn(entries, state);
    this.setTail(state.holder, end);
    return { holder: state.holder, done: end, seq, hash };
  }
}
