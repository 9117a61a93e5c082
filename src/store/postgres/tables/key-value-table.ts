import type { StoredValue, KeyValueChange, KeyValueStore } from '../../../journal/store/key-value-store.ts';
import { ExpirySweeper } from '../../expiry-sweeper.ts';
import type { Sql } from '../database.ts';

export const keyValueSchema = `
CREATE TABLE kept (
  kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, text text NOT NULL, until bigint NOT NULL, PRIMARY KEY (kind, key)
);
CREATE INDEX kept_until ON kept (until);
`;

const write =
  'INSERT INTO kept VALUES ($1, $2, $3, $4) ON CONFLICT (kind, key) DO UPDATE SET text = excluded.text, until = excluded.until';

/** Stores small values until they expire. Every change is one statement. */
export class KeyValueTable implements KeyValueStore {
  readonly #sql: Sql;
  readonly #sweep = new ExpirySweeper(
    async (now) => void (await this.#sql.change('DELETE FROM kept WHERE until <= $1', [now])),
  );

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async get(kind: string, key: string): Promise<StoredValue | undefined> {
    const sql = 'SELECT text, until FROM kept WHERE kind = $1 AND key = $2 AND until > $3';
    return (await this.#sql.rows<StoredValue>(sql, [kind, key, Date.now()]))[0];
  }

  list(kind: string): Promise<readonly (StoredValue & { key: string })[]> {
    const sql = 'SELECT key, text, until FROM kept WHERE kind = $1 AND until > $2 ORDER BY key';
    return this.#sql.rows(sql, [kind, Date.now()]);
  }

  listByPrefix(prefix: string): Promise<readonly (StoredValue & { kind: string; key: string })[]> {
    const sql = 'SELECT kind, key, text, until FROM kept WHERE starts_with(kind, $1) AND until > $2 ORDER BY kind, key';
    return this.#sql.rows(sql, [prefix, Date.now()]);
  }

  async put(kind: string, key: string, { text, until }: StoredValue): Promise<void> {
    await this.#sql.change(write, [kind, key, text, until]);
    await this.#sweep.runIfDue();
  }

  async add(kind: string, key: string, value: StoredValue): Promise<StoredValue> {
    await this.#sql.change(`${write} WHERE kept.until <= $5`, [kind, key, value.text, value.until, Date.now()]);
    await this.#sweep.runIfDue();
    return (await this.get(kind, key)) ?? value;
  }

  extend(kind: string, key: string, until: number): Promise<boolean> {
    const sql = 'UPDATE kept SET until = greatest(until, $3) WHERE kind = $1 AND key = $2 AND until > $4';
    return this.#sql.change(sql, [kind, key, until, Date.now()]);
  }

  async take(kind: string, key: string, until?: number): Promise<boolean> {
    const now = Date.now();
    const sql = 'DELETE FROM kept WHERE kind = $1 AND key = $2 AND until <= $3 RETURNING until';
    const [taken] = await this.#sql.rows<StoredValue>(sql, [kind, key, until ?? Number.MAX_SAFE_INTEGER]);
    return taken !== undefined && taken.until > now;
  }
}

/** Applies a change in the transaction that writes its entry. Returns false when it is refused and nothing was changed. */
export function changeKeyValue(sql: Sql, change: KeyValueChange): Promise<boolean> {
  const { kind, key } = change;
  const now = Date.now();
  switch (change.change) {
    case 'put':
      return sql.change(write, [kind, key, change.text, change.until]);
    case 'add':
      return sql.change(`${write} WHERE kept.until <= $5`, [kind, key, change.text, change.until, now]);
    case 'take':
      return sql.change('DELETE FROM kept WHERE kind = $1 AND key = $2 AND until > $3 AND until <= $4', [
        kind,
        key,
        now,
        change.until ?? Number.MAX_SAFE_INTEGER,
      ]);
  }
}
