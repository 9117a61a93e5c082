import { hash } from 'node:crypto';
import { join } from 'node:path';
import { identityOf } from '../../config/trust/trust-records.ts';
import type { TokenStore } from '../../sources/mcp/http/oauth/oauth-options.ts';
import { withFileLock } from '../../core/locks/file-lock.ts';
import { openVault } from './open-vault.ts';

/** The maximum wait for the lock, which is longer than a token refresh can take. */
const maxLockWaitMs = 45_000;

/** Stores the OAuth tokens of one configuration, encrypted in the data directory. No other configuration can use them. */
export function oauthTokenStore(data: string, configuration: string): TokenStore {
  const vault = openVault(data, 'oauth');
  const place = identityOf(configuration);
  const bound = (key: string): string => {
    const [account = ''] = key.split(':');
    return `${account}:${hash('sha256', JSON.stringify([key, place]), 'hex').slice(0, 32)}`;
  };
  return {
    load: (key) => vault.get(bound(key)),
    async save(key, text) {
      if (text === undefined) await vault.remove(bound(key));
      else await vault.set(bound(key), text);
    },
    exclusively: (key, work) =>
      withFileLock(join(data, 'locks', `${hash('sha256', bound(key), 'hex')}.lock`), maxLockWaitMs, work),
  };
}
