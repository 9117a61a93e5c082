import { hash, randomBytes } from 'node:crypto';

/** A random id that is itself the key to something: 256 bits, safe in a URL and in a cookie. */
export function newSecretId(): string {
  return randomBytes(32).toString('base64url');
}

/** What a secret id is kept as, so that looking one up compares hashes only. */
export function hashOf(secretId: string): string {
  return hash('sha256', secretId, 'base64url');
}
