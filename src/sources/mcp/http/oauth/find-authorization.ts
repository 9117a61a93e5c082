import { HttpRefusalError } from '../http-errors.ts';
import {
  type AuthorizationServerMetadata,
  type FetchLike,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ProtectedServer } from './oauth-options.ts';

/** The authorization server of an MCP server, and the resource that its tokens are for. */
export interface Authorization {
  /** The resource indicator. */
  readonly resource: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The scopes that the server asks for. */
  readonly scopes: readonly string[];
}

const resourceSchema = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()).optional(),
  scopes_supported: z.array(z.string()).optional(),
});

/** Finds the authorization server of an MCP server: from its 401 response, from the well-known URLs, or at its own origin. */
export async function findAuthorization(server: ProtectedServer, fetch: FetchLike): Promise<Authorization> {
  const url = new URL(server.url);
  const challenge = await challengeOf(server, fetch);
  const protectedResource = await resourceMetadata(url, challenge.resourceMetadataUrl, fetch);
  if (
    protectedResource !== undefined &&
    !checkResourceAllowed({ requestedResource: url, configuredResource: protectedResource.resource })
  )
    throw new Error(`its metadata is for another resource, ${protectedResource.resource}, and not for ${url.href}`);
  const issuer = issuerOf(server, protectedResource?.authorization_servers ?? []);
  const published = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  const isOldest = protectedResource === undefined && issuer === url.origin;
  const metadata = published ?? (isOldest ? defaultMetadata(issuer) : undefined);
  if (metadata === undefined) throw new Error(`the authorization server ${issuer} publishes no metadata`);
  return {
    resource: protectedResource?.resource ?? canonical(url),
    metadata,
    scopes: challenge.scope?.split(' ') ?? protectedResource?.scopes_supported ?? [],
  };
}

/**
 * The 2025-03-26 revision: a server without any metadata is its own authorization server and has these endpoints at its origin. That
 * revision requires PKCE of every client and server.
 */
function defaultMetadata(origin: string): AuthorizationServerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}

type Challenge = ReturnType<typeof extractWWWAuthenticateParams>;

/** Returns the `WWW-Authenticate` parameters that the server sends to an unauthenticated client. */
async function challengeOf({ type, url }: ProtectedServer, fetch: FetchLike): Promise<Challenge> {
  const response =
    type === 'sse'
      ? await fetch(url, { headers: { accept: 'text/event-stream' } })
      : await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 'signalbox-sign-in', method: 'ping' }),
        });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/** Reads the protected resource metadata (RFC 9728). The SDK treats any failure as missing metadata and falls back to the server's own origin. */
async function resourceMetadata(
  url: URL,
  named: URL | undefined,
  fetch: FetchLike,
): Promise<z.infer<typeof resourceSchema> | undefined> {
  const wellKnown = '/.well-known/oauth-protected-resource';
  const path = url.pathname.replace(/\/$/, '');
  const places = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named];
  for (const place of places) {
    const at = new URL(place, url);
    const response = await fetch(at, { headers: { accept: 'application/json' } });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status >= 500 || named !== undefined)
        throw new HttpRefusalError(`${at.href} answered with HTTP ${response.status}`, response.status);
      continue;
    }
    const { data } = resourceSchema.safeParse(await response.json().catch(() => undefined));
    if (data === undefined) throw new Error(`${at.href} did not return protected resource metadata`);
    return data;
  }
  return undefined;
}

function issuerOf({ url, oauth: { issuer } }: ProtectedServer, offered: readonly string[]): string {
  const [first = new URL(url).origin] = offered;
  if (issuer === undefined || issuer === first) return first;
  if (offered.length > 0 && !offered.includes(issuer))
    throw new Error(`the server trusts ${offered.join(', ')}, and the configuration only ${issuer}`);
  return issuer;
}

/** Returns the canonical resource URI (RFC 8707): without a fragment, and without the slash of an empty path. */
function canonical(url: URL): string {
  return url.pathname === '/' && url.search === '' ? url.origin : url.href.replace(/#.*$/, '');
}
