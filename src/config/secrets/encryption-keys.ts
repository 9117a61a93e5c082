import { createHash, randomBytes, scrypt } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { createFileOnce } from '../file/atomic-file.ts';
import { secretUnusable } from './secret-vault.ts';

/** A key that encrypts secrets. */
export interface Key {
  /** A fingerprint of the key. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** A place where the encryption key is stored. */
export interface KeyHolder {
  /** Returns the key for new secrets, and creates one if there is none. */
  current(): Promise<Key>;
  /** Returns the key with this id, or the one that has replaced it. Rejects with the next step when there is none. */
  find(id: string): Promise<Key>;
}

/** The length of an AES-256 key. */
export const keyBytes = 32;

export function toKey(bytes: Buffer): Key {
  return { id: createHash('sha256').update('signalbox key ').update(bytes).digest('hex').slice(0, 32), bytes };
}

/** Parses the text form of a key. Returns `undefined` when it is not valid. */
export function parseKey(text: string): Key | undefined {
  const bytes = Buffer.from(text.trim(), 'base64url');
  return bytes.length === keyBytes ? toKey(bytes) : undefined;
}

/** Stores the key in a file that only its owner may read. */
export function keyFile(file: string): KeyHolder & { exists(): boolean } {
  return {
    exists: () => existsSync(file),
    async current() {
      if (!existsSync(file)) createFileOnce(file, `${randomBytes(keyBytes).toString('base64url')}\n`);
      return readKey(file);
    },
    async find() {
      if (existsSync(file)) return readKey(file);
      throw secretUnusable(`the key file ${file} is gone; restore it from a copy, or set the secrets again`);
    },
  };
}

function readKey(file: string): Key {
  // Other users may already have read the file, which a person must assess, so the permissions are not corrected silently.
  if (isReadableByOthers(file))
    throw secretUnusable(`other users of this machine can read the key file ${file}; run chmod 600 ${file}`);
  const key = parseKey(readFileSync(file, 'utf8'));
  if (key === undefined)
    throw secretUnusable(
      `${file} does not contain a key; restore it from a copy, or remove it and set the secrets again`,
    );
  return key;
}

/** Returns whether users other than the owner may read or change a file. Always `false` on Windows. */
export function isReadableByOthers(file: string): boolean {
  return process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

const minPassphraseLength = 16;
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** Derives the key from a passphrase, SIGNALBOX_SECRET_KEY, and a salt, which is stored in a file. */
export function environmentKey(saltFile: string, passphrase: string): KeyHolder {
  const current = async (): Promise<Key> => {
    if (passphrase.length < minPassphraseLength)
      throw secretUnusable(
        `SIGNALBOX_SECRET_KEY is ${passphrase === '' ? 'not set' : `shorter than ${minPassphraseLength} characters`}; set the one that encrypted the secrets, or a new one (openssl rand -hex 32)`,
      );
    if (!existsSync(saltFile)) createFileOnce(saltFile, `${randomBytes(16).toString('base64url')}\n`);
    const salt = Buffer.from(readFileSync(saltFile, 'utf8').trim(), 'base64url');
    return toKey(await derive(passphrase, salt, keyBytes, cost));
  };
  return { current, find: current };
}
