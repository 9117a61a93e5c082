import type { TokenRecord } from '../../journal/store/access-token-store.ts';
import { TokenTable, findToken } from '../tables/token-table.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/**
 * Caches access tokens, because every request reads the same few, until any process writes to the database: detecting that is far
 * cheaper than reading them again.
 */
export class CachedTokenTable extends TokenTable {
  readonly #database: SqliteDatabase;
  readonly #found = new Map<string, TokenRecord>();
  /** Counts the commits of other connections. */
  #version: unknown;

  constructor(database: SqliteDatabase) {
    super(database);
    this.#database = database;
  }

  /** Called before a change in the transaction that writes its entry. */
  clear(): void {
    this.#found.clear();
  }

  override async find(id: string): Promise<TokenRecord | undefined> {
    const version = this.#database.prepare('PRAGMA data_version').get()?.['data_version'];
    if (version !== this.#version) this.#found.clear();
    this.#version = version;
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    // Synchronous, so that the record cannot change before it is stored.
    const [record] = this.#database.rowsSync<TokenRecord>(findToken, [id]);
    if (record !== undefined) this.#found.set(id, record);
    return record;
  }

  override used(id: string, at: number): Promise<void> {
    this.#found.delete(id);
    return super.used(id, at);
  }
}
