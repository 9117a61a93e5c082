import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { replaceFile } from '../file/atomic-file.ts';
import { type KeyRing, secretFiles } from './key-ring.ts';
import { type SealedSecret, parseSealed, seal, unseal } from './sealed-secret.ts';
import { type SecretVault, secretUnusable } from './secret-vault.ts';

/** Options of `secretVault`. */
export interface VaultOptions {
  /** The data directory. */
  readonly data: string;
  /** A namespace that is separate from the user's own secrets, such as `oauth`. */
  readonly space?: string;
  readonly keys: KeyRing;
}

/** The name of the secret's temporary file, hex-encoded, must not exceed 255 bytes. */
const maxNameLength = 116;

/** Stores each secret in its own encrypted file, so that concurrent writers need no lock and cannot lose each other's secrets. */
export function secretVault({ data, space, keys }: VaultOptions): SecretVault {
  const { directory } = secretFiles(data);
  const prefix = space === undefined ? '' : `${space}:`;
  const isOwn = (name: string): boolean => name.startsWith(prefix) && isName(name.slice(prefix.length), space);
  // Hex, because some file systems ignore case or do not allow colons.
  const fileOf = (name: string): string =>
    join(directory, `${Buffer.from(fullName(name, space)).toString('hex')}.json`);

  return {
    async get(name) {
      const file = fileOf(name);
      const secret = readSealed(file, prefix + name);
      if (secret === undefined) return undefined;
      try {
        const value = unseal(secret, await keys.find(secret.store, secret.key));
        if (value !== undefined) return value;
      } catch (error) {
        throw secretUnusable(`the secret ${name} cannot be read: ${messageOf(error)}`, error);
      }
      throw changed(name, file);
    },
    async has(name) {
      return existsSync(fileOf(name));
    },
    async set(name, value) {
      const file = fileOf(name);
      // No variable, header or argument can contain NUL, and Node's error message would show the value.
      if (!value.isWellFormed() || value.includes('\0'))
        throw new SignalboxError('secret-invalid', `the value of ${name} is not text: it has NUL or broken Unicode`);
      const { store, key } = await keys.current();
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      replaceFile(file, `${JSON.stringify(seal(prefix + name, value, store, key))}\n`, 0o600);
      return { name, store };
    },
    async remove(name) {
      try {
        rmSync(fileOf(name));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    async list() {
      return namesIn(directory)
        .filter(isOwn)
        .toSorted()
        .flatMap((full) => {
          const name = full.slice(prefix.length);
          // It may have been removed in the meantime.
          const secret = readSealed(fileOf(name), full);
          return secret === undefined ? [] : [{ name, store: secret.store }];
        });
    },
  };
}

function isName(name: string, space: string | undefined): boolean {
  return (space === undefined ? /^[\w.-]+$/ : /^[\w.:-]+$/).test(name);
}

function fullName(name: string, space: string | undefined): string {
  const full = space === undefined ? name : `${space}:${name}`;
  if (isName(name, space) && full.length <= maxNameLength) return full;
  const rule = `letters, digits, "_", "-" and ".", at most ${maxNameLength}`;
  throw new SignalboxError('secret-invalid', `"${name.slice(0, 40)}" is not a valid name for a secret: ${rule}`);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((file) => /^(?:[0-9a-f]{2})+\.json$/.test(file))
      .map((file) => Buffer.from(file.slice(0, -'.json'.length), 'hex').toString('utf8'));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readSealed(file: string, full: string): SealedSecret | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw secretUnusable(`the secret ${full} cannot be read: ${messageOf(error)}`, error);
  }
  const secret = parseSealed(text);
  if (secret?.name !== full) throw changed(full, file);
  return secret;
}

function changed(name: string, file: string): SignalboxError {
  const remedy = `restore it from a copy, or set the secret again: signalbox secret set ${name}`;
  return secretUnusable(`${file}, which contains the secret ${name}, was damaged or changed; ${remedy}`);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
