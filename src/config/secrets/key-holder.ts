import { createHash } from 'node:crypto';
import type { KeyStore } from './secret-vault.ts';

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

export function keyOf(bytes: Buffer): Key {
  return { id: createHash('sha256').update('signalbox key ').update(bytes).digest('hex').slice(0, 32), bytes };
}

/** Reads a key that was written as text; `undefined` when it is none. */
export function parseKey(text: string): Key | undefined {
  const bytes = Buffer.from(text.trim(), 'base64url');
  return bytes.length === keyBytes ? keyOf(bytes) : undefined;
}
