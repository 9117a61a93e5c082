import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { createFileOnce } from '../file/atomic-file.ts';
import { type Key, type KeyHolder, keyBytes, toKey, parseKey } from './encryption-keys.ts';
import { secretUnusable } from './secret-vault.ts';

/** SerializedError when the system keychain is not running, is locked, or denies access. */
export class KeychainUnavailableError extends Error {
  override readonly name = 'KeychainUnavailableError';
}

const service = 'signalbox';
/** Long enough for a person to enter the keychain's password. */
const timeoutMs = 60_000;

/**
 * Stores keys in the system keychain by id. `file` contains the id of the key for new secrets. `store` is the keychain on Linux;
 * `keyutils`, which belongs to the kernel, does not survive a restart.
 */
export function keychainKey(
  file: string,
  store: 'secret-service' | 'keyutils' = 'secret-service',
): KeyHolder & { exists(): boolean; forget(id: string): Promise<void> } {
  const entry = async (id: string) => {
    // A native module that most commands do not need.
    const { AsyncEntry } = await import('@napi-rs/keyring');
    return new AsyncEntry(service, id, { linux: { store } });
  };
  const find = async (id: string): Promise<Key> => {
    const text = await withTimeout(async () => (await entry(id)).getPassword());
    const key = parseKey(text ?? '');
    if (key === undefined)
      throw secretUnusable(`the system keychain has no key ${service}/${id}; restore it, or set the secrets again`);
    return key;
  };
  const forget = async (id: string): Promise<void> => {
    await withTimeout(async () => (await entry(id)).deletePassword());
  };
  const currentId = (): string => readFileSync(file, 'utf8').trim();

  return {
    exists: () => existsSync(file),
    find,
    forget,
    async current() {
      if (existsSync(file)) return find(currentId());
      const made = toKey(randomBytes(keyBytes));
      await withTimeout(async () => (await entry(made.id)).setPassword(made.bytes.toString('base64url')));
      // Read back before it is used, to be sure that the keychain stores it.
      await find(made.id);
      createFileOnce(file, `${made.id}\n`);
      const id = currentId();
      if (id === made.id) return made;
      await forget(made.id);
      return find(id);
    },
  };
}

async function withTimeout<Value>(request: () => Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), timeoutMs);
  });
  try {
    return await Promise.race([request(), timeout]);
  } catch (error) {
    const remedy = 'unlock it, or set the secret again with SIGNALBOX_SECRETS=file';
    throw new KeychainUnavailableError(`the system keychain cannot be used: ${messageOf(error)}; ${remedy}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}
