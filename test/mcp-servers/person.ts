import assert from 'node:assert/strict';
import { type OAuthOptions, type ProtectedServer, signIn } from '../../src/index.ts';
import { recordKey } from '../../src/sources/mcp/http/oauth/tokens/sign-in-record.ts';
import { memoryTokenStore } from '../../src/sources/mcp/http/oauth/tokens/token-store.ts';
import { type ProtectedFixture, browse } from './protected-server.ts';

/** A person who signed in. */
interface Person {
  readonly transport: ProtectedServer;
  /** The page on which the browser ended. */
  readonly page: { status: number; text: string };
}

/** Returns a transport to a protected server, with its own token store. */
export function transportTo(server: ProtectedFixture, oauth: OAuthOptions = {}): ProtectedServer {
  return { type: 'http', url: server.url, oauth: { tokens: memoryTokenStore(), ...oauth } };
}

/** Signs in as a person with a browser does. */
export async function signedIn(server: ProtectedFixture, transport = transportTo(server)): Promise<Person> {
  let page: Promise<Person['page']> | undefined;
  await signIn(transport, { onAuthorize: (url) => void (page = browse(url)), timeoutMs: 10_000 });
  assert.ok(page !== undefined);
  return { transport, page: await page };
}

/** Tries to sign in; returns the error and the page that the browser showed. */
export async function notSignedIn(
  server: ProtectedFixture,
  timeoutMs = 10_000,
): Promise<{ why: string; page: string }> {
  const transport = transportTo(server);
  let page = Promise.resolve({ status: 0, text: '' });
  const failed = signIn(transport, { onAuthorize: (url) => void (page = browse(url)), timeoutMs });
  const why = await failed.then(
    () => assert.fail('somebody was signed in'),
    (error: unknown) => String(error),
  );
  assert.equal(server.provider.accessTokens.size, 0, 'no token was issued');
  return { why, page: (await page).text };
}

/** Returns the stored record of a sign-in, and its key. */
export async function keptOf({ url, oauth }: ProtectedServer): Promise<{ key: string; text: string }> {
  const key = recordKey(new URL(url), oauth);
  return { key, text: (await oauth.tokens?.load(key)) ?? assert.fail('nothing is stored') };
}

/** A call of the fixture's tool `echo`. */
export function echo(text: string): [string, { text: string }] {
  return ['mcp__fixture__echo', { text }];
}
