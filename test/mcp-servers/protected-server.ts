import type { TestContext } from 'node:test';
import { type HttpFixture, httpFixture } from './http-fixture.ts';
import { type IdentityProvider, identityProvider } from './identity-provider.ts';

/** An MCP server that requires a token of its provider. */
export interface ProtectedFixture {
  readonly url: string;
  readonly provider: IdentityProvider;
  readonly fixture: HttpFixture;
  /** Replaces members of the server's metadata. */
  readonly metadata: Record<string, unknown>;
  /** The required scope, by tool. */
  readonly scopes: Map<string, string>;
  /** The tokens that it refused. */
  readonly refused: string[];
  /** Whether a refusal names the URL of the metadata. If not, the metadata is at the well-known URL. */
  namesMetadata: boolean;
  /** Whether the server has metadata. If not, the endpoints of the provider are at its origin, as in 2025-03-26. */
  hasMetadata: boolean;
}

const defaultEndpoints = new Set(['/authorize', '/token', '/register']);

/** Starts a protected MCP server and its provider, both closed when the test ends. */
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

/** Opens a URL and follows redirects like a browser. Returns the last page. */
export async function browse(url: URL): Promise<{ status: number; text: string }> {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
}
