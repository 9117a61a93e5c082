import { createFileOnce } from '../file/atomic-file.ts';
import { type KeyStore, secretUnusable } from './secret-vault.ts';
import { createHash, randomBytes, scrypt } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

/** A key that secrets are sealed with. */
export interface Key {
  /** A fingerprint: tells keys apart and says nothing about them. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Keeps the key that secrets are sealed with. */
export interface KeyHolder {
  readonly store: KeyStore;
  /** The key for new secrets; made when there is none. */
  current(): Promise<Key>;
  /** The key that has this id, or the one that stands in its place. Throws, with what to do, when there is none. */
  find(id: string): Promise<Key>;
}

/** How many bytes a key of AES-256 has. */
export const keyBytes = 32;

export function toKey(bytes: Buffer): Key {
  return { id: createHash('sha256').update('signalbox key ').update(bytes).digest('hex').slice(0, 32), bytes };
}

/** Reads a key that was written as text; `undefined` when it is none. */
export function parseKey(text: string): Key | undefined {
  const bytes = Buffer.from(text.trim(), 'base64url');
  return bytes.length === keyBytes ? toKey(bytes) : undefined;
}

/** A key in a file that only its owner may read. */
export function keyFile(file: string): KeyHolder & { exists(): boolean } {
  return {
    store: 'file',
    exists: () => existsSync(file),
    async current() {
      if (!existsSync(file)) createFileOnce(file, `${randomBytes(keyBytes).toString('base64url')}\n`);
      return readKey(file);
    },
    async find() {
      if (existsSync(file)) return readKey(file);
      throw secretUnusable(`the key file ${file} is gone; restore it from a copy, or set the secrets anew`);
    },
  };
}

function readKey(file: string): Key {
  // Who else could read it may have read it: that is for a human to judge, not to be mended in silence.
  if (isReadableByOthers(file))
    throw secretUnusable(`other users of this machine can read the key file ${file}; run chmod 600 ${file}`);
  const key = parseKey(readFileSync(file, 'utf8'));
  if (key === undefined)
    throw secretUnusable(`${file} holds no key; restore it from a copy, or remove it and set the secrets anew`);
  return key;
}

/** Says whether others than the owner may read or change a file. Windows has no such marks. */
export function isReadableByOthers(file: string): boolean {
  return process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

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
    return toKey(await derive(given, salt, keyBytes, cost));
  };
  return { store: 'environment', current, find: current };
}
