import { isDeepStrictEqual } from 'node:util';
import type { CallKind, CallSamples, SampleQuery } from '../../../journal/store/call-samples.ts';
import { type EntryDraft, type StoredEntry, bodyBytes } from '../../../journal/entries/stored-entry.ts';
import type { Appended, ChainHead, EntryQuery, IndexFault } from '../../../journal/store/store.ts';
import type { OutcomeName } from '../../../core/calls/call-outcome.ts';
import { Conditions } from '../../conditions.ts';
import { searchEntries } from '../../search-entries.ts';
import { applySideWrites, hasSideWrites } from '../../tables/side-writes.ts';
import { type PostgresDatabase, type PostgresParameter, replaceNul, runAsync } from '../postgres-database.ts';
import { type EntryFacts, matchesBody, toEntryFacts } from './entry-facts.ts';
import { entryColumns, entryQuery } from './entry-query.ts';

const append = {
  name: 'append',
  sql: `SELECT seq, hash FROM append_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
};
/** A commit that waits until it and everything before it is on the disk. */
export const flush = { name: 'flush', sql: "SELECT pg_logical_emit_message(true, 'signalbox', '')", values: [] };

/** The page size of searches in bodies. */
const searchPage = { limit: 500, bytes: 4 * 1024 * 1024 };

const checkPageSize = 1000;
// Exactly the intents without an outcome must be open. One statement sees both tables at one moment.
const openCallFault = `SELECT seq FROM journal WHERE type = 'CallStarted' AND seq <> ALL (SELECT seq FROM open_calls)
    AND NOT EXISTS (SELECT 1 FROM journal AS ended WHERE ended.call = journal.call AND ended.type = 'ToolInvoked')
  UNION ALL
  SELECT seq FROM open_calls WHERE NOT EXISTS (
    SELECT 1 FROM journal WHERE journal.seq = open_calls.seq AND journal.call = open_calls.call AND journal.type = 'CallStarted')
  LIMIT 1`;

interface Sample {
  readonly at: number;
  readonly seq: number;
  readonly server: string;
  readonly tool: string;
  readonly outcome: OutcomeName;
  readonly ms: number | null;
}

/** The journal table: one hash chain for all writers. */
export class JournalTable {
  readonly #database: PostgresDatabase;
  readonly #writer: string;
  /** Increases when an append has failed. The next append then makes sure that the failed one can never arrive late. */
  #epoch = 0;
  readonly #kinds = new Map<string, readonly [number, CallKind]>();

  constructor(database: PostgresDatabase, writer: string) {
    this.#database = database;
    this.#writer = writer;
  }

  async append(drafts: readonly EntryDraft[]): Promise<Appended> {
    if (drafts.length === 0) return [];
    try {
      return drafts.some(hasSideWrites) ? await this.#appendWithMore(drafts) : await this.#appendAlone(drafts);
    } catch (error) {
      this.#epoch += 1;
      throw error;
    }
  }

  async entries(query: EntryQuery): Promise<readonly StoredEntry[]> {
    if (query.text === undefined && query.shadowed === undefined) return await this.#select(query);
    const [bounds] = await this.#database.rows<{ seq: number; beginning: number | null }>(
      'SELECT seq, (SELECT seq FROM beginning) AS beginning FROM head',
    );
    const after = Math.max(query.after ?? 0, bounds?.beginning ?? 0);
    return await searchEntries({ ...query, after }, bounds?.seq ?? 0, { select: (part) => this.#search(part) });
  }

  async head(): Promise<ChainHead> {
    const [head] = await this.#database.rows<ChainHead>('SELECT seq, hash FROM head');
    return head ?? { seq: 0, hash: '' };
  }

  /** Returns the open calls of this writer, after making sure that no append of it is still in flight. */
  async openCalls(): Promise<readonly StoredEntry[]> {
    await this.#appendAlone([]);
    return await this.#database.rows(
      `SELECT ${entryColumns} FROM journal WHERE seq IN (SELECT seq FROM open_calls WHERE writer = $1) ORDER BY seq`,
      [this.#writer],
    );
  }

  /**
   * Takes over the open calls of dead writers. Returns all calls taken over so far that have no outcome yet, because a server that
   * failed during the takeover may have assigned them without a response.
   */
  async takeOpen(living: () => Promise<ReadonlySet<string>>): Promise<readonly StoredEntry[]> {
    const writers = await this.#database.rows<{ writer: string }>(
      'SELECT DISTINCT writer FROM open_calls WHERE writer <> $1',
      [this.#writer],
    );
    if (writers.length > 0) {
      const alive = await living();
      const dead = writers.map(({ writer }) => writer).filter((writer) => !alive.has(writer));
      await this.#database.change('UPDATE open_calls SET writer = $1 WHERE writer = ANY($2::text[])', [
        this.#writer,
        dead,
      ]);
    }
    return await this.#database.rows(
      `SELECT ${entryColumns} FROM journal
       WHERE seq IN (SELECT seq FROM open_calls WHERE writer = $1) AND writer <> $1 ORDER BY seq`,
      [this.#writer],
    );
  }

  /** Returns a page of ended calls. Kinds keep their numbers while the store is open. */
  async samples(query: SampleQuery): Promise<CallSamples> {
    const conditions = new Conditions();
    conditions.add("type = 'ToolInvoked'");
    conditions.add('at >= ?', query.after?.at ?? query.since);
    conditions.add('at < ?', query.until);
    conditions.add("tool = ? AND server <> ''", query.tool);
    conditions.add('server = ?', query.server);
    conditions.add('(at, seq) > (?, ?)', query.after?.at, query.after?.seq);
    const sql = `SELECT at, seq, server, tool, outcome, ms FROM journal ${conditions.where} ORDER BY at, seq LIMIT ?`;
    const rows = await this.#database.rows<Sample>(sql, [...conditions.values, query.limit]);
    const last = rows.length < query.limit ? undefined : rows.at(-1);
    return {
      kind: rows.map((row) => this.#kindOf(row)),
      at: rows.map(({ at }) => at),
      durationMs: rows.map(({ ms }) => ms),
      kinds: new Map(this.#kinds.values()),
      ...(last === undefined ? {} : { next: { at: last.at, seq: last.seq } }),
    };
  }

  /** Compares the indexed columns with the bodies of the entries, page by page. Returns the first difference. */
  async checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined> {
    for (let after = 0; ;) {
      signal?.throwIfAborted();
      const rows = await this.#database.rows<EntryFacts & { seq: number; body: string }>(
        'SELECT seq, body, server, decision, principal, ms FROM journal WHERE seq > $1 ORDER BY seq LIMIT $2',
        [after, checkPageSize],
      );
      for (const { seq, body, ...row } of rows) if (!isDeepStrictEqual(toEntryFacts(body), row)) return { seq };
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
    return (await this.#database.rows<IndexFault>(openCallFault))[0];
  }

  async #appendAlone(drafts: readonly EntryDraft[]): Promise<Appended> {
    const [links] = await this.#database.pipeline([{ ...append, values: this.#values(drafts) }, flush]);
    return this.#linked(drafts, links as Link[]);
  }

  /** Applies the side writes first and locks the chain last, to keep the lock short. */
  async #appendWithMore(drafts: readonly EntryDraft[]): Promise<Appended> {
    const written = await this.#database.transaction(async (sql): Promise<Appended> => {
      const isWanted = await Promise.all(
        drafts.map((draft) => runAsync(sql, applySideWrites(draft, this.#database.dialect))),
      );
      const wanted = drafts.filter((_, index) => isWanted[index] === true);
      if (wanted.length === 0) return drafts.map(() => undefined);
      const entries = this.#linked(wanted, await sql.rows<Link>(append.sql, this.#values(wanted)));
      let next = 0;
      return isWanted.map((is) => (is ? entries[next++] : undefined));
    });
    await this.#database.pipeline([flush]);
    return written;
  }

  #values(drafts: readonly EntryDraft[]): PostgresParameter[] {
    const facts = drafts.map(({ body }) => toEntryFacts(body));
    return [
      this.#writer,
      this.#epoch,
      drafts.map(({ at }) => at),
      ...(['type', 'call', 'session', 'tool', 'outcome', 'body'] as const).map((key) =>
        drafts.map((draft) => draft[key]),
      ),
      ...(['server', 'decision', 'principal', 'ms'] as const).map((key) => facts.map((fact) => fact[key])),
    ];
  }

  #linked(drafts: readonly EntryDraft[], links: readonly Link[]): Appended {
    return links.map(({ seq, hash }, index) => {
      if (seq === null) return undefined;
      const { at, type, call, session, tool, outcome, body } = drafts[index] as EntryDraft;
      const texts = { call: replaceNul(call), session: replaceNul(session), tool: replaceNul(tool) };
      return { seq, at, type, ...texts, outcome, writer: this.#writer, body: replaceNul(body), hash };
    });
  }

  /** Returns the matching entries of a range, reading a few bodies at a time. */
  async #search(query: EntryQuery): Promise<readonly StoredEntry[]> {
    const found: StoredEntry[] = [];
    let room = query.bytes ?? Infinity;
    for (let left = query; ;) {
      const page = await this.#select({ ...left, ...searchPage });
      for (const entry of page) {
        if (!matchesBody(entry, query)) continue;
        found.push(entry);
        room -= bodyBytes([entry]);
        if (found.length === query.limit || room <= 0) return found;
      }
      const last = page.at(-1);
      if (last === undefined) return found;
      left = { ...left, ...(query.order === 'oldest-first' ? { after: last.seq } : { before: last.seq }) };
      query.signal?.throwIfAborted();
    }
  }

  #select(query: EntryQuery): Promise<StoredEntry[]> {
    const { sql, values } = entryQuery(query);
    return this.#database.rows(sql, values);
  }

  #kindOf({ server, tool: named, outcome }: Sample): number {
    // Calls that reached no tool share a kind, so that invented names do not fill the memory.
    const tool = server === '' ? '' : named;
    const key = JSON.stringify([server, tool, outcome]);
    const known = this.#kinds.get(key);
    if (known !== undefined) return known[0];
    const number = this.#kinds.size + 1;
    this.#kinds.set(key, [number, { server, tool, outcome }]);
    return number;
  }
}

interface Link {
  /** `null` when nothing was written, because another process has recorded the outcome of that call. */
  readonly seq: number | null;
  readonly hash: string;
}
