import { mkdirSync, readFileSync } from 'node:fs';
import { locateConfiguration } from '../../config/file/configuration-files.ts';
import { resolveReferences } from '../../config/references.ts';
import { journalSealer } from '../../config/secrets/journal-key.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { Sealer } from '../../journal/integrity/seal.ts';
import type { Store } from '../../journal/store/store.ts';
import { isPostgresAddress, parseAddress } from '../../store/postgres/address.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type HostLocation, journalFile } from '../data-directory.ts';
import { environment, journalKeyVariable, storeVariable } from '../environment.ts';

/** An open store, with the password in its address, which must not be recorded; empty for SQLite. */
export interface OpenedStore {
  readonly store: Store;
  readonly password: string;
  /** The product and version of the database as display text. */
  readonly server?: string;
}

/** Returns the address of the store, or `sqlite`. Parses the configuration only if it may name a store, because that takes time. */
export async function configuredStore({ config, data }: HostLocation): Promise<string> {
  const override = storeVariable();
  if (override !== undefined) return override;
  const file = locateConfiguration(config);
  if (file === undefined || !mayNameStore(file)) return 'sqlite';
  const { readConfiguration } = await import('../read-configuration.ts');
  const { assertTrusted } = await import('../open-trust.ts');
  const { configuration } = readConfiguration({ config });
  if (configuration.store !== 'sqlite') await assertTrusted(configuration, data);
  return await resolveStoreAddress(configuration.store, data);
}

/** Opens a store. `data` is the data directory, which contains the SQLite file and the secrets. */
export async function openStore(store: string, data: string): Promise<OpenedStore> {
  const address = await resolveStoreAddress(store, data);
  if (!isPostgresAddress(address))
    return { store: sqliteStore({ file: journalFile({ data }), sealer: await openSealer(data) }), password: '' };
  // Other stores keep files of this machine in the data directory; only SQLite creates it.
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const { password, location } = parseAddress(address);
  const sealer = await openSealer(data, location);
  const { postgresStore } = await import('../../store/postgres/postgres-store.ts');
  const opened = await postgresStore({ address, sealer });
  return { store: opened, password, server: opened.server };
}

/** Returns the sealer of a journal, with the key of this machine or of `SIGNALBOX_JOURNAL_KEY`. */
export async function openSealer(data: string, store?: string): Promise<Sealer | undefined> {
  return await journalSealer(data, store, journalKeyVariable());
}

function mayNameStore(file: string): boolean {
  try {
    return /postgres(?:ql)?:|"store"/.test(readFileSync(file, 'utf8'));
  } catch {
    // Commands that need the configuration report that it cannot be read.
    return false;
  }
}

/** Resolves the references in a store setting. Values inside an address are percent-encoded. */
export async function resolveStoreAddress(store: string, data: string): Promise<string> {
  if (!store.includes('${')) return store;
  const isWhole = !isPostgresAddress(store);
  const { openVault } = await import('../secrets/open-vault.ts');
  const vault = openVault(data);
  const encoded = (value: string | undefined): string | undefined =>
    value && (isWhole ? value : encodeURIComponent(value));
  const variables = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, encoded(value)]));
  try {
    const sources = { environment: variables, secret: async (name: string) => encoded(await vault.get(name)) };
    const { text } = await resolveReferences(store, sources, 'store');
    if (text === 'sqlite' || isPostgresAddress(text)) return text;
  } catch (error) {
    throw new SignalboxError('store-unavailable', messageOf(error), { cause: error });
  }
  // The message omits the value, because it may contain a password.
  const message = `store refers to ${store}, which is neither "sqlite" nor a "postgres://…" address`;
  throw new SignalboxError('store-unavailable', message);
}
