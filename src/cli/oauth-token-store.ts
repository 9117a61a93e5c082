import { hash } from 'node:crypto';
import { join } from 'node:path';
import { secretVault } from '../config/secrets/sealed-files.ts';
import type { TokenStore } from '../sources/mcp/http/oauth/token-store.ts';
import { whileLocked } from '../store/sqlite/file-lock.ts';

/** Longer than a renewal can take: who waits longer waits for a process that hangs. */
const waitMs = 45_000;

/** Keeps sign-ins encrypted in the data directory, apart from the user's own secrets. */
export function oauthTokenStore(data: string): TokenStore {
  const vault = secretVault({ data, space: 'oauth' });
  return {
    load: (key) => vault.get(key),
    async save(key, text) {
      if (text === undefined) await vault.remove(key);
      else await vault.set(key, text);
    },
    exclusively: (key, work) => whileLocked(join(data, 'locks', `${hash('sha256', key, 'hex')}.lock`), waitMs, work),
  };
}
