import type { FetchLike } from '@modelcontextprotocol/client';
import { createGuardedFetch } from '../client/guarded-fetch.ts';
import type { ProtectedServer } from './oauth-options.ts';

const requestMs = 30_000;
const maxResponseBytes = 1024 * 1024;

/** Runs work with a `fetch` for the authorization server, and closes its connections afterwards. */
export async function withAuthorizationFetch<Result>(
  { url, oauth: { issuer } }: ProtectedServer,
  work: (fetch: FetchLike) => Promise<Result>,
): Promise<Result> {
  const { fetch, close } = createGuardedFetch(
    new URL(url),
    maxResponseBytes,
    issuer === undefined ? [] : [new URL(issuer)],
  );
  try {
    return await work(async (given, init = {}) => {
      assertConfidential(new URL(given));
      return await fetch(given, { ...init, signal: init.signal ?? AbortSignal.timeout(requestMs) });
    });
  } finally {
    close();
  }
}

/** Throws when secrets would be sent unencrypted to this URL. */
export function assertConfidential({ protocol, hostname, origin }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return;
  throw new Error(`${origin} is not an https URL, so no secrets are sent there`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}
