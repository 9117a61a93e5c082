import type { JSONWebKeySet } from 'jose';
import { isJsonObject } from '../../../core/json/json.ts';
import { createGuardedFetch } from '../../../sources/mcp/http/client/guarded-fetch.ts';
import { assertConfidential } from '../../../sources/mcp/http/oauth/authorization-fetch.ts';

const requestTimeoutMs = 5000;
const maxResponseBytes = 256 * 1024;
const maxKeys = 100;

/** Reads the JWKS of an issuer from the configured URL, or from the `jwks_uri` of its metadata. */
export async function fetchJwks(issuer: string, configured: string | undefined): Promise<JSONWebKeySet> {
  const named = configured === undefined ? [] : [new URL(configured)];
  const { fetch, close } = createGuardedFetch(new URL(issuer), maxResponseBytes, named);
  const read = async (url: URL): Promise<unknown> => {
    assertConfidential(url);
    const headers = { accept: 'application/json' };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(requestTimeoutMs) });
    return response.ok ? await response.json() : undefined;
  };
  try {
    const [url = await discoverJwksUrl(issuer, read)] = named;
    const found = await read(url);
    if (!isJsonObject(found) || !Array.isArray(found['keys']) || found['keys'].length > maxKeys)
      throw new Error(`${url.href} did not return a JWKS`);
    return { keys: found['keys'] };
  } finally {
    close();
  }
}

/** Reads the metadata of RFC 8414, or of OpenID Connect Discovery at both of its locations. */
async function discoverJwksUrl(issuer: string, read: (url: URL) => Promise<unknown>): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const issuerPath = pathname.replace(/\/$/, '');
  for (const path of [
    `/.well-known/oauth-authorization-server${issuerPath}`,
    `/.well-known/openid-configuration${issuerPath}`,
    `${issuerPath}/.well-known/openid-configuration`,
  ]) {
    const metadata = await read(new URL(path, origin));
    if (!isJsonObject(metadata)) continue;
    const { issuer: named, jwks_uri: keys } = metadata;
    if (named !== issuer) throw new Error(`the metadata at ${origin}${path} is of another issuer than ${issuer}`);
    if (typeof keys === 'string') return new URL(keys);
  }
  throw new Error(`${issuer} publishes no metadata with a jwks_uri; set "jwksUrl"`);
}
