import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import { KeychainUnavailableError, keychainKey } from './keychain-key.ts';
import { type Key, type KeyHolder, environmentKey, keyFile } from './encryption-keys.ts';
import { type KeyStore, secretUnusable } from './secret-vault.ts';

/** The encryption keys of one data directory. */
export interface KeyRing {
  /** Returns the key for new secrets and its location. */
  current(): Promise<{ readonly store: KeyStore; readonly key: Key }>;
  /** Returns the key with which a secret was sealed. */
  find(store: KeyStore, id: string): Promise<Key>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the directory of the secrets and the key file of a data directory. */
export function secretFiles(data: string): { readonly directory: string; readonly keyFile: string } {
  return { directory: join(data, 'secrets'), keyFile: join(data, 'secrets.key') };
}

/**
 * Opens the keys of a data directory. Each secret names its key; for new secrets, SIGNALBOX_SECRETS and SIGNALBOX_SECRET_KEY decide,
 * then the key in use, then the system keychain if it is available, else a key file.
 */
export function keyRing(data: string, environment: Environment, keychain?: ReturnType<typeof keychainKey>): KeyRing {
  const { directory, keyFile: file } = secretFiles(data);
  const passphrase = environment['SIGNALBOX_SECRET_KEY'] ?? '';
  const holders = {
    keychain: keychain ?? keychainKey(join(directory, 'keychain')),
    file: keyFile(file),
    environment: environmentKey(join(directory, 'salt'), passphrase),
  } satisfies Record<KeyStore, KeyHolder>;
  const found = new Map<string, Promise<Key>>();
  let current: ReturnType<KeyRing['current']> | undefined;

  const from = async (store: KeyStore): ReturnType<KeyRing['current']> => ({
    store,
    key: await holders[store].current(),
  });
  const choose = async (): ReturnType<KeyRing['current']> => {
    const requested = requestedStore(environment['SIGNALBOX_SECRETS']);
    if (requested === 'keychain') return from('keychain');
    if (passphrase !== '') return from('environment');
    if (requested === 'file') return from('file');
    if (holders.keychain.exists()) return from('keychain');
    if (holders.file.exists()) return from('file');
    try {
      return await from('keychain');
    } catch (error) {
      if (error instanceof KeychainUnavailableError) return from('file');
      throw error;
    }
  };
  return {
    async current() {
      current ??= withUnusableError(choose());
      try {
        const { store, key } = await current;
        found.set(key.id, Promise.resolve(key));
        return { store, key };
      } catch (error) {
        current = undefined;
        throw error;
      }
    },
    async find(store, id) {
      const known = found.get(id) ?? withUnusableError(holders[store].find(id));
      found.set(id, known);
      try {
        const key = await known;
        if (key.id === id) return key;
      } catch (error) {
        found.delete(id);
        throw error;
      }
      found.delete(id);
      throw secretUnusable(
        `it was not sealed with the key in ${keyLocation(store, data)}; restore the original key, or set the secret again`,
      );
    },
  };
}

/** Returns the location of the keys of a store as display text. */
export function keyLocation(store: KeyStore, data: string): string {
  switch (store) {
    case 'keychain':
      return 'the system keychain';
    case 'file':
      return secretFiles(data).keyFile;
    case 'environment':
      return 'SIGNALBOX_SECRET_KEY';
  }
}

/** Converts the error of an unavailable keychain, when no other key can be used. */
async function withUnusableError<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof KeychainUnavailableError ? secretUnusable(error.message, error) : error;
  }
}

function requestedStore(variable: string | undefined): 'keychain' | 'file' | undefined {
  if (variable === undefined || variable === '') return undefined;
  if (variable === 'keychain' || variable === 'file') return variable;
  throw new SignalboxError('secret-invalid', `SIGNALBOX_SECRETS is "${variable}", expected "keychain" or "file"`);
}
