import { randomBytes, scrypt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createFileOnce } from '../file/atomic-file.ts';
import { type Key, type KeyHolder, keyBytes, keyOf } from './key-holder.ts';
import { secretUnusable } from './secret-vault.ts';

const shortest = 16;
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** A key made from SIGNALBOX_SECRET_KEY and from salt, which is kept in a file. */
export function environmentKey(saltFile: string, given: string): KeyHolder {
  const current = async (): Promise<Key> => {
    if (given.length < shortest)
      throw secretUnusable(
        `SIGNALBOX_SECRET_KEY is ${given === '' ? 'not set' : `shorter than ${shortest} characters`}; set the one that the secrets were kept with, or a new one as openssl rand -hex 32 makes it`,
      );
    if (!existsSync(saltFile)) createFileOnce(saltFile, `${randomBytes(16).toString('base64url')}\n`);
    const salt = Buffer.from(readFileSync(saltFile, 'utf8').trim(), 'base64url');
    return keyOf(await derive(given, salt, keyBytes, cost));
  };
  return { store: 'environment', current, find: current };
}
