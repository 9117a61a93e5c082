import { type Seal, type Sealer, advancedSeal, prunedSeal } from '../../../journal/integrity/seal.ts';
import type { ChainHead } from '../../../journal/store/store.ts';
import type { Database, Sql } from '../database.ts';

/** The newest sealed head of each key. */
export const sealSchema = `
CREATE TABLE seals (
  key text PRIMARY KEY, seq bigint NOT NULL, hash text NOT NULL, beginning bigint NOT NULL, beginning_hash text NOT NULL,
  mac text NOT NULL
);
`;

const columns = 'seals.key, seals.seq, seals.hash, seals.beginning, seals.beginning_hash AS "beginningHash", seals.mac';
const sealEveryMs = 1000;

/**
 * Stores the seals. The database links the entries and must not know the key, so each process seals the head periodically,
 * outside of appends. At most the last second before a crash is not sealed.
 */
export class SealTable {
  readonly #database: Database;
  readonly #sealer: Sealer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sealing: Promise<void> = Promise.resolve();
  #isNoted = false;

  constructor(database: Database, sealer: Sealer | undefined) {
    this.#database = database;
    this.#sealer = sealer;
  }

  all(): Promise<Seal[]> {
    return this.#database.rows<Seal>(`SELECT ${columns} FROM seals ORDER BY key`);
  }

  /** Schedules a seal of the head. Called after every append, so it must be cheap. */
  schedule(): void {
    if (this.#sealer === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#sealing = this.#seal().catch(() => undefined);
    }, sealEveryMs).unref();
  }

  /** Seals the rest. */
  async close(): Promise<void> {
    const isDue = this.#timer !== undefined;
    clearTimeout(this.#timer);
    await this.#sealing;
    // When the database is down, the next process continues from the last seal.
    if (isDue) await this.#seal().catch(() => undefined);
  }

  /** Runs work that drops entries from the front and seals the new beginning in the same transaction. */
  async sealPruning<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value> {
    return await this.#database.transaction(async (sql) => {
      const known = await this.#known(sql);
      const before = await beginningIn(sql);
      const done = await work(sql);
      const after = await beginningIn(sql);
      const seal = this.#sealer && known && prunedSeal(this.#sealer, known, before, after);
      if (seal !== undefined) await write(sql, seal);
      return done;
    });
  }

  async #seal(): Promise<void> {
    const sealer = this.#sealer;
    if (sealer === undefined) return;
    const isSealed = await this.#database.transaction(async (sql) => {
      const known = await this.#known(sql);
      const [head] = await sql.rows<ChainHead>(
        'SELECT journal.seq, journal.hash FROM journal JOIN head ON head.seq = journal.seq AND head.hash = journal.hash',
      );
      if (head === undefined) return false;
      const [at] = known === undefined ? [] : await hashAt(sql, known.seq);
      const place = { known, hashAtKnown: at?.hash, beginning: await beginningIn(sql) };
      const seal = advancedSeal(sealer, head, place);
      if (seal !== undefined) await write(sql, seal);
      return seal !== undefined || known !== undefined;
    });
    if (!isSealed || this.#isNoted) return;
    sealer.noteSealed();
    this.#isNoted = true;
  }

  async #known(sql: Sql): Promise<Seal | undefined> {
    if (this.#sealer === undefined) return undefined;
    const [known] = await sql.rows<Seal>(`SELECT ${columns} FROM seals WHERE key = $1 FOR UPDATE`, [this.#sealer.key]);
    return known;
  }
}

function hashAt(sql: Sql, seq: number): Promise<{ hash: string }[]> {
  return sql.rows<{ hash: string }>('SELECT hash FROM journal WHERE seq = $1', [seq]);
}

async function beginningIn(sql: Sql): Promise<ChainHead> {
  const [row] = await sql.rows<ChainHead>('SELECT seq, hash FROM beginning');
  return row ?? { seq: 0, hash: '' };
}

async function write(sql: Sql, { key, seq, hash, beginning, beginningHash, mac }: Seal): Promise<void> {
  await sql.change(
    `INSERT INTO seals VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO UPDATE SET
     seq = excluded.seq, hash = excluded.hash, beginning = excluded.beginning, beginning_hash = excluded.beginning_hash, mac = excluded.mac
     WHERE seals.seq <= excluded.seq`,
    [key, seq, hash, beginning, beginningHash, mac],
  );
}
