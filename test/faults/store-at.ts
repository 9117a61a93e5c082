import { join } from 'node:path';
import { type Store, postgresStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

/** Opens the PostgreSQL store at an address, or without one the SQLite file in the directory. */
export async function storeAt(address: string, data: string): Promise<Store> {
  return address === '' ? sqliteStore({ file: join(data, 'signalbox.db') }) : await postgresStore({ address });
}
