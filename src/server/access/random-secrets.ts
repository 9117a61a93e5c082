import { hash, randomBytes } from 'node:crypto';

/** Returns 256 random bits in base64url, which are safe in URLs and cookies. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hash by which a secret is stored and looked up. */
export function hashSecret(secretId: string): string {
  return hash('sha256', secretId, 'base64url');
}
