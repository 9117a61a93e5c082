import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Key } from './encryption-keys.ts';
import type { KeyStore, StoredSecret } from './secret-vault.ts';

/** The file format of a secret. */
export interface SealedSecret extends StoredSecret {
  readonly version: 1;
  /** The id of the key. */
  readonly key: string;
  readonly nonce: string;
  /** The encrypted value and the authentication tag, which covers all fields. */
  readonly sealed: string;
}

const cipher = 'aes-256-gcm';
const tagBytes = 16;

/** Encrypts a value and binds it to its name and key. */
export function seal(name: string, value: string, store: KeyStore, key: Key): SealedSecret {
  const nonce = randomBytes(12);
  const header = { version: 1, name, store, key: key.id } as const;
  const encryption = createCipheriv(cipher, key.bytes, nonce).setAAD(boundTo(header));
  const encrypted = [encryption.update(value, 'utf8'), encryption.final(), encryption.getAuthTag()];
  return { ...header, nonce: nonce.toString('base64url'), sealed: Buffer.concat(encrypted).toString('base64url') };
}

/** Decrypts a secret. Returns `undefined` when its file was changed, or the key is not the one it was sealed with. */
export function unseal(secret: SealedSecret, key: Key): string | undefined {
  const bytes = Buffer.from(secret.sealed, 'base64url');
  try {
    const decryption = createDecipheriv(cipher, key.bytes, Buffer.from(secret.nonce, 'base64url'), {
      authTagLength: tagBytes,
    });
    decryption.setAAD(boundTo(secret)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decryption.update(bytes.subarray(0, -tagBytes)), decryption.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Parses the file of a secret. Returns `undefined` when it is not a sealed secret of this version. */
export function parseSealed(text: string): SealedSecret | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<string, unknown>> | null;
    return isSealed(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isSealed(
  value: Partial<Record<string, unknown>> | null,
): value is Partial<Record<string, unknown>> & SealedSecret {
  if (value === null || typeof value !== 'object' || value['version'] !== 1) return false;
  const areTexts = ['name', 'key', 'nonce', 'sealed'].every((field) => typeof value[field] === 'string');
  return areTexts && ['keychain', 'file', 'environment'].includes(String(value['store']));
}

function boundTo({ version, name, store, key }: Omit<SealedSecret, 'nonce' | 'sealed'>): Buffer {
  return Buffer.from(JSON.stringify(['signalbox secret', version, name, store, key]));
}
