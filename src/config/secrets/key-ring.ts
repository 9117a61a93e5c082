import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import { type Key, type KeyHolder, environmentKey, keyFile } from './secret-keys.ts';
import { KeychainUnavailable, keychainKey } from './keychain-key.ts';
import { type KeyStore, secretUnusable } from './secret-vault.ts';

/** The keys of one data directory. */
export interface KeyRing {
  /** The key for new secrets, and who keeps it. */
  current(): Promise<{ readonly store: KeyStore; readonly key: Key }>;
  /** The key that a secret says it was sealed with. */
  find(store: KeyStore, id: string): Promise<Key>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The files of a data directory that have to do with secrets. */
export function secretFiles(data: string): { readonly directory: string; readonly keyFile: string } {
  return { directory: join(data, 'secrets'), keyFile: join(data, 'secrets.key') };
}

/**
 * Secrets say which key they were sealed with; this decides for new ones. SIGNALBOX_SECRETS and SIGNALBOX_SECRET_KEY
 * come first, then what was used before, then the keychain where one answers, and a file where none does.
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
    const wanted = wantedStore(environment['SIGNALBOX_SECRETS']);
    if (wanted === 'keychain') return from('keychain');
    if (passphrase !== '') return from('environment');
    if (wanted === 'file') return from('file');
    if (holders.keychain.exists()) return from('keychain');
    if (holders.file.exists()) return from('file');
    try {
      return await from('keychain');
    } catch (error) {
      if (error instanceof KeychainUnavailable) return from('file');
      throw error;
    }
  };
  return {
    async current() {
      current ??= told(choose());
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
      const known = found.get(id) ?? told(holders[store].find(id));
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
        `it was sealed with another key than that of ${keyLocation(store, data)}; bring that key back, or set the secret anew`,
      );
    },
  };
}

/** Where the keys of a store are, for people. */
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

/** A keychain that does not answer is the caller's business only while another place can be chosen. */
async function told<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof KeychainUnavailable ? secretUnusable(error.message, error) : error;
  }
}

function wantedStore(given: string | undefined): 'keychain' | 'file' | undefined {
  if (given === undefined || given === '') return undefined;
  if (given === 'keychain' || given === 'file') return given;
  throw new SignalboxError('secret-invalid', `SIGNALBOX_SECRETS is "${given}", expected "keychain" or "file"`);
}
