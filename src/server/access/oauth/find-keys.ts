import type { JSONWebKeySet } from 'jose';
import { isJsonObject } from '../../../core/json/json.ts';
import { createGuardedFetch } from '../../../sources/mcp/http/client/guarded-fetch.ts';
import { assertConfidential } from '../../../sources/mcp/http/oauth/authorization-fetch.ts';

const requestMs = 5000;
const largestAnswer = 256 * 1024;
const mostKeys = 100;

/** Reads the keys that an issuer signs with: from where the configuration says, or else from where its own metadata says. */
export async function findKeys(issuer: string, configured: string | undefined): Promise<JSONWebKeySet> {
  const named = configured === undefined ? [] : [new URL(configured)];
  const { fetch, close } = createGuardedFetch(new URL(issuer), largestAnswer, named);
  const read = async (url: URL): Promise<unknown> => {
    assertConfidential(url);
    const headers = { accept: 'application/json' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) });
    return response.ok ? await response.json() : undefined;
  };
  try {
    const [place = await placeOfKeys(issuer, read)] = named;
    const found = await read(place);
    if (!isJsonObject(found) || !Array.isArray(found['keys']) || found['keys'].length > mostKeys)
      throw new Error(`${place.href} did not return a JWKS`);
    return { keys: found['keys'] };
  } finally {
    close();
  }
}

/** RFC 8414, or OpenID Connect Discovery in either of its places. */
async function placeOfKeys(issuer: string, read: (url: URL) => Promise<unknown>): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  for (const place of [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ]) {
    const metadata = await read(new URL(place, origin));
    if (!isJsonObject(metadata)) continue;
    const { issuer: named, jwks_uri: keys } = metadata;
    if (named !== issuer) throw new Error(`the metadata at ${origin}${place} is of another issuer than ${issuer}`);
    if (typeof keys === 'string') return new URL(keys);
  }
  throw new Error(`${issuer} publishes no metadata that says where its keys are; name them with "jwksUrl"`);
}
