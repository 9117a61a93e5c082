import { hash } from 'node:crypto';

/** What a session is kept under: whoever reads the store learns no id from it. */
export function sessionKey(id: string): string {
  return hash('sha256', id, 'base64url');
}
