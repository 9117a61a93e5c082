import { omitUndefined } from '../../core/omit-undefined.ts';
import { authorityEntry, authorityKindOf } from '../../journal/integrity/authority-records.ts';
import type { KeyValueChange, KeyValueStore, StoredValue } from '../../journal/store/key-value-store.ts';
import type { Store } from '../../journal/store/store.ts';
import { type Dialect, type Statement, type TableDatabase, change } from './table-database.ts';

export function keyValueSchema({ integer, orderedText, keyTable }: Dialect): string {
  return `
CREATE TABLE kept (
  kind ${orderedText} NOT NULL, key ${orderedText} NOT NULL, text text NOT NULL, until ${integer} NOT NULL, PRIMARY KEY (kind, key)
) ${keyTable};
CREATE INDEX kept_until ON kept (until);
`;
}

const write =
  'INSERT INTO kept VALUES (?, ?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET text = excluded.text, until = excluded.until';
const add = `${write} WHERE kept.until <= ?`;

const sweepIntervalMs = 10 * 60_000;
const lastCodePoint = '\u{10FFFF}';

/**
 * Stores small values until they expire. Every change is one statement, in the transaction of an entry when the value grants
 * authority. Writes remove expired values periodically.
 */
export class KeyValueTable implements KeyValueStore {
  readonly #database: TableDatabase;
  readonly #append: Store['append'];
  #sweptAt = 0;

  constructor(database: TableDatabase, append: Store['append']) {
    this.#database = database;
    this.#append = append;
  }

  async get(kind: string, key: string): Promise<StoredValue | undefined> {
    const sql = 'SELECT text, until FROM kept WHERE kind = ? AND key = ? AND until > ?';
    return (await this.#database.rows<StoredValue>(sql, [kind, key, Date.now()]))[0];
  }

  list(kind: string): Promise<(StoredValue & { key: string })[]> {
    const sql = 'SELECT key, text, until FROM kept WHERE kind = ? AND until > ? ORDER BY key';
    return this.#database.rows(sql, [kind, Date.now()]);
  }

  listByPrefix(prefix: string): Promise<(StoredValue & { kind: string; key: string })[]> {
    const sql = 'SELECT kind, key, text, until FROM kept WHERE kind >= ? AND kind < ? AND until > ? ORDER BY kind, key';
    return this.#database.rows(sql, [prefix, `${prefix}${lastCodePoint}`, Date.now()]);
  }

  async put(kind: string, key: string, value: StoredValue): Promise<void> {
    await this.#write({ ...value, change: 'put', kind, key }, value.text);
  }

  async add(kind: string, key: string, value: StoredValue): Promise<StoredValue> {
    await this.#write({ ...value, change: 'add', kind, key }, value.text);
    return (await this.get(kind, key)) ?? value;
  }

  extend(kind: string, key: string, until: number): Promise<boolean> {
    const sql =
      'UPDATE kept SET until = CASE WHEN until < ?1 THEN ?1 ELSE until END WHERE kind = ?2 AND key = ?3 AND until > ?4';
    return this.#database.change(sql, [until, kind, key, Date.now()]);
  }

  async take(kind: string, key: string, until?: number): Promise<boolean> {
    const request = omitUndefined({ change: 'take', kind, key, until } as const);
    const known = authorityKindOf(kind) === undefined ? undefined : await this.get(kind, key);
    if (known !== undefined) return await this.#write(request, known.text);
    const { sql, parameters } = changeKeyValue(request);
    return await this.#database.change(sql, parameters);
  }

  /** Returns false when the change was refused. */
  async #write(request: KeyValueChange, text: string): Promise<boolean> {
    const entry = authorityEntry(request, text);
    if (entry !== undefined) return (await this.#append([entry]))[0] !== undefined;
    const { sql, parameters } = changeKeyValue(request);
    const isChanged = await this.#database.change(sql, parameters);
    await this.#sweep();
    return isChanged;
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    if (now - this.#sweptAt < sweepIntervalMs) return;
    this.#sweptAt = now;
    await this.#database.change('DELETE FROM kept WHERE until <= ?', [now]);
  }
}

/** Returns the statement for a change in the transaction that writes its entry. It changes nothing when the change is refused. */
export function changeKeyValue(request: KeyValueChange): Statement<boolean> {
  const { kind, key } = request;
  const now = Date.now();
  switch (request.change) {
    case 'put':
      return change(write, [kind, key, request.text, request.until]);
    case 'add':
      return change(add, [kind, key, request.text, request.until, now]);
    case 'take': {
      const sql = 'DELETE FROM kept WHERE kind = ? AND key = ? AND until > ? AND until <= ?';
      return change(sql, [kind, key, now, request.until ?? Number.MAX_SAFE_INTEGER]);
    }
  }
}
