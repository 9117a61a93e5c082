import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { createFileOnce } from '../file/atomic-file.ts';
import { type Key, type KeyHolder, keyBytes, toKey, parseKey } from './secret-keys.ts';
import { secretUnusable } from './secret-vault.ts';

/** No keychain answers: none runs, it is locked, or it does not let us in. */
export class KeychainUnavailable extends Error {
  override readonly name = 'KeychainUnavailable';
}

/** Which keychain; on Linux the kernel has one too, but it forgets. */
export type LinuxKeychain = 'secret-service' | 'keyutils';

const service = 'signalbox';
/** It may have to ask its owner for a password. */
const longestWaitMs = 60_000;

/** A key in the system's keychain, under its id; the file says which of them new secrets are sealed with. */
export function keychainKey(
  file: string,
  store: LinuxKeychain = 'secret-service',
): KeyHolder & { exists(): boolean; forget(id: string): Promise<void> } {
  const entry = async (id: string) => {
    // A native module, which most commands never need.
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(service, id, { linux: { store } });
  };
  const find = async (id: string): Promise<Key> => {
    const text = await answered(async () => (await entry(id)).getPassword());
    const key = parseKey(text ?? '');
    if (key === undefined)
      throw secretUnusable(
        `the system keychain has no key ${service}/${id} (any more); restore it, or set the secrets anew`,
      );
    return key;
  };
  const forget = async (id: string): Promise<void> => {
    await answered(async () => (await entry(id)).deletePassword());
  };
  const currentId = (): string => readFileSync(file, 'utf8').trim();

  return {
    store: 'keychain',
    exists: () => existsSync(file),
    find,
    forget,
    async current() {
      if (existsSync(file)) return find(currentId());
      const made = toKey(randomBytes(keyBytes));
      await answered(async () => (await entry(made.id)).setPassword(made.bytes.toString('base64url')));
      // Read back before anything is sealed with it.
      await find(made.id);
      createFileOnce(file, `${made.id}\n`);
      const id = currentId();
      if (id === made.id) return made;
      await forget(made.id);
      return find(id);
    },
  };
}

async function answered<Value>(ask: () => Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), longestWaitMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    const remedy = 'unlock it, or set the secret anew with SIGNALBOX_SECRETS=file';
    throw new KeychainUnavailable(`the system keychain cannot be used: ${messageOf(error)}; ${remedy}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
