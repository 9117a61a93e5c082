import type { StoredValue, KeyValueChange, KeyValueStore } from '../../../journal/store/key-value-store.ts';
import { ExpirySweeper } from '../../expiry-sweeper.ts';
import type { Statements } from '../statements.ts';

export const keyValueSchema = `
CREATE TABLE kept (
  kind TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX kept_until ON kept (until);
`;

const write =
  'INSERT INTO kept VALUES (?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET text = excluded.text, until = excluded.until';

/** Stores small values until they expire. Every change is one statement. */
export class KeyValueTable implements KeyValueStore {
  readonly #statements: Statements;
  readonly #sweep = new ExpirySweeper((now) => void this.#statements.change('DELETE FROM kept WHERE until <= ?', now));

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  async get(kind: string, key: string): Promise<StoredValue | undefined> {
    const sql = 'SELECT text, until FROM kept WHERE kind = ? AND key = ? AND until > ?';
    const row = this.#statements.get(sql).get(kind, key, Date.now());
    return row === undefined ? undefined : { ...(row as unknown as StoredValue) };
  }

  async list(kind: string): Promise<readonly (StoredValue & { key: string })[]> {
    const sql = 'SELECT key, text, until FROM kept WHERE kind = ? AND until > ? ORDER BY key';
    const rows = this.#statements.get(sql).all(kind, Date.now());
    return rows.map((row) => ({ ...(row as unknown as StoredValue & { key: string }) }));
  }

  async listByPrefix(prefix: string): Promise<readonly (StoredValue & { kind: string; key: string })[]> {
    const sql = 'SELECT kind, key, text, until FROM kept WHERE substr(kind, 1, ?) = ? AND until > ? ORDER BY kind, key';
    const rows = this.#statements.get(sql).all(prefix.length, prefix, Date.now());
    return rows.map((row) => ({ ...(row as unknown as StoredValue & { kind: string; key: string }) }));
  }

  /** Applies a change. Returns false when it is refused and nothing was changed. */
  apply(change: KeyValueChange): boolean {
    const { kind, key } = change;
    const now = Date.now();
    switch (change.change) {
      case 'put':
        return this.#statements.change(write, kind, key, change.text, change.until);
      case 'add':
        return this.#statements.change(`${write} WHERE kept.until <= ?`, kind, key, change.text, change.until, now);
      case 'take': {
        const sql = 'DELETE FROM kept WHERE kind = ? AND key = ? AND until > ? AND until <= ?';
        return this.#statements.change(sql, kind, key, now, change.until ?? Number.MAX_SAFE_INTEGER);
      }
    }
  }

  async put(kind: string, key: string, { text, until }: StoredValue): Promise<void> {
    this.#statements.change(write, kind, key, text, until);
    await this.#sweep.runIfDue();
  }

  async add(kind: string, key: string, value: StoredValue): Promise<StoredValue> {
    this.#statements.change(`${write} WHERE kept.until <= ?`, kind, key, value.text, value.until, Date.now());
    await this.#sweep.runIfDue();
    return (await this.get(kind, key)) ?? value;
  }

  async extend(kind: string, key: string, until: number): Promise<boolean> {
    const sql = 'UPDATE kept SET until = max(until, ?) WHERE kind = ? AND key = ? AND until > ?';
    return this.#statements.change(sql, until, kind, key, Date.now());
  }

  async take(kind: string, key: string, until?: number): Promise<boolean> {
    const now = Date.now();
    const sql = 'DELETE FROM kept WHERE kind = ? AND key = ? AND until <= ? RETURNING until';
    const taken = this.#statements.get(sql).get(kind, key, until ?? Number.MAX_SAFE_INTEGER);
    return taken !== undefined && Number(taken['until']) > now;
  }
}
