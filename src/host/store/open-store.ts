import { usageFailure } from '../../cli/fail.ts';
import type { Globals } from '../../cli/globals.ts';
import { findConfiguration } from '../../config/file/find-configuration.ts';
import { resolveReferences } from '../../config/references.ts';
import { journalSealer } from '../../config/secrets/journal-key.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { Store } from '../../journal/store/store.ts';
import { isPostgresAddress, parseAddress } from '../../store/postgres/address.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A store that was opened, and what must never be told of it. */
export interface OpenedStore {
  readonly store: Store;
  readonly password: string;
  /** What runs the database, for people. */
  readonly server?: string;
}

/** Where records are kept, with what that refers to. Reads the configuration only when it may say something else than usual: that takes time. */
export async function configuredStore(globals: Globals): Promise<string> {
  const given = storeFromEnvironment();
  if (given !== undefined) return given;
  const file = globals.config === undefined ? findConfiguration(process.cwd()) : resolve(globals.config);
  if (file === undefined || !mayNameStore(file)) return 'sqlite';
  const { assertTrusted, readConfiguration } = await import('../read-configuration.ts');
  const { configuration } = readConfiguration(globals);
  if (configuration.store !== 'sqlite') await assertTrusted(configuration, globals.data);
  return await resolveStoreAddress(configuration.store, globals.data);
}

/** Opens where records are kept. `data` is the data directory, where SQLite has its file and secrets are. */
export async function openStore(store: string, data: string): Promise<OpenedStore> {
  const address = await resolveStoreAddress(store, data);
  if (!isPostgresAddress(address)) {
    const sealer = await journalSealer(data);
    return { store: sqliteStore({ file: join(data, 'signalbox.db'), sealer }), password: '' };
  }
  // SQLite makes it with its file; others keep there what is of this machine alone.
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const { password, location } = parseAddress(address);
  const sealer = await journalSealer(data, location);
  const { postgresStore } = await import('../../store/postgres/postgres-store.ts');
  const opened = await postgresStore({ address, sealer });
  return { store: opened, password, server: opened.server };
}

function mayNameStore(file: string): boolean {
  try {
    return /postgres(?:ql)?:|"store"/.test(readFileSync(file, 'utf8'));
  } catch {
    // Whoever needs the configuration tells what is wrong with it.
    return false;
  }
}

/** `sqlite` or an address, with what it refers to. Values inside of an address are escaped, whatever is in them. */
export async function resolveStoreAddress(store: string, data: string): Promise<string> {
  if (!store.includes('${')) return store;
  const isWhole = !isPostgresAddress(store);
  const { secretVault } = await import('../../config/secrets/sealed-files.ts');
  const vault = secretVault({ data });
  const escaped = (value: string | undefined): string | undefined =>
    value && (isWhole ? value : encodeURIComponent(value));
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, escaped(value)]));
  try {
    const sources = { environment, secret: async (name: string) => escaped(await vault.get(name)) };
    const { text } = await resolveReferences(store, sources, 'store');
    if (text === 'sqlite' || isPostgresAddress(text)) return text;
  } catch (error) {
    throw new SignalboxError('store-unavailable', messageOf(error), { cause: error });
  }
  // What it is instead is not repeated: it may hold a password.
  const message = `store refers to ${store}, which is neither "sqlite" nor a "postgres://…" address`;
  throw new SignalboxError('store-unavailable', message);
}

/** Where `SIGNALBOX_STORE` says that records are kept, before what the configuration says. */
export function storeFromEnvironment(): string | undefined {
  const store = process.env['SIGNALBOX_STORE'];
  if (store === undefined || store === '') return undefined;
  if (store === 'sqlite' || isPostgresAddress(store)) return store;
  // The value is not repeated: it may hold a password.
  throw usageFailure('SIGNALBOX_STORE: expected "sqlite" or a "postgres://…" address', {
    next: 'correct or unset SIGNALBOX_STORE',
  });
}
