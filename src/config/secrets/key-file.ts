import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createFileOnce } from '../file/atomic-file.ts';
import { type Key, type KeyHolder, keyBytes, parseKey } from './key-holder.ts';
import { secretUnusable } from './secret-vault.ts';

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
  if (isShared(file))
    throw secretUnusable(`other users of this machine can read the key file ${file}; run chmod 600 ${file}`);
  const key = parseKey(readFileSync(file, 'utf8'));
  if (key === undefined)
    throw secretUnusable(`${file} holds no key; restore it from a copy, or remove it and set the secrets anew`);
  return key;
}

/** Says whether others than the owner may read or change a file. Windows has no such marks. */
export function isShared(file: string): boolean {
  return process.platform !== 'win32' && ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}
