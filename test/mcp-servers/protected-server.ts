import type { TestContext } from 'node:test';
import { type HttpFixture, httpFixture } from './http-fixture.ts';
import { type IdentityProvider, identityProvider } from './identity-provider.ts';

/** An MCP server that lets in only those with a token of its provider. */
export interface ProtectedFixture {
  readonly url: string;
  readonly provider: IdentityProvider;
  readonly fixture: HttpFixture;
  /** Takes the place of members of the server's metadata. */
  readonly metadata: Record<string, unknown>;
  /** The scope that a tool needs. */
  readonly scopes: Map<string, string>;
  /** The tokens that it did not take. */
  readonly refused: string[];
  /** Whether the refusal names the metadata; otherwise it stands at the well-known place. */
  namesMetadata: boolean;
  /** Whether there is metadata at all; without it, the provider's endpoints are at the server's origin, as in 2025-03-26. */
  hasMetadata: boolean;
}

const defaultEndpoints = new Set(['/authorize', '/token', '/register']);

/** Starts a protected MCP server and its provider; both end with the test. */
export async function protectedServer(t: TestContext, era: 'legacy' | 'modern' = 'modern'): Promise<ProtectedFixture> {
  const { provider, close } = await identityProvider();
  const metadata: Record<string, unknown> = {};
  const scopes = new Map<string, string>();
  const refused: string[] = [];
  const guard = async (request: Request): Promise<Response | undefined> => {
    const { origin, pathname } = new URL(request.url);
    const resource = `${origin}/mcp`;
    if (!server.hasMetadata && defaultEndpoints.has(pathname)) return await provider.answer(request);
    const place = server.namesMetadata ? '/metadata' : '/.well-known/oauth-protected-resource/mcp';
    if (pathname === place && server.hasMetadata)
      return Response.json({ resource, authorization_servers: [provider.issuer], ...metadata });
    if (pathname !== '/mcp') return new Response('', { status: 404 });
    const challenge =
      server.namesMetadata && server.hasMetadata
        ? `Bearer resource_metadata="${origin}/metadata", scope="use"`
        : 'Bearer realm="x"';
    const token = request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
    const grant = provider.accessTokens.get(token);
    if (grant === undefined || grant.resource !== resource || grant.expiresAt < Date.now()) {
      if (token !== '') refused.push(token);
      return new Response('', { status: 401, headers: { 'www-authenticate': challenge } });
    }
    const needed = scopes.get(await toolOf(request));
    if (needed === undefined || grant.scope.split(' ').includes(needed)) return undefined;
    const refusal = `Bearer error="insufficient_scope", scope="${needed}"`;
    return new Response('', { status: 403, headers: { 'www-authenticate': refusal } });
  };
  const fixture = await httpFixture(era, 0, guard);
  const server: ProtectedFixture = {
    url: fixture.url,
    provider,
    fixture,
    metadata,
    scopes,
    refused,
    namesMetadata: true,
    hasMetadata: true,
  };
  t.after(() => Promise.all([fixture.close(), close()]));
  return server;
}

async function toolOf(request: Request): Promise<string> {
  if (request.method !== 'POST') return '';
  const { params } = (await request.clone().json()) as { params?: { name?: string } };
  return params?.name ?? '';
}

/** Goes where the person is sent, as a browser does; answers the page on which it ends. */
export async function browse(url: URL): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}
