import assert from 'node:assert/strict';
import { type OAuthOptions, type ProtectedServer, signIn } from '../../src/index.ts';
import { recordKey } from '../../src/sources/mcp/http/oauth/sign-in-record.ts';
import { memoryTokenStore } from '../../src/sources/mcp/http/oauth/oauth-session.ts';
import { type ProtectedFixture, browse } from './protected-server.ts';

/** The result of a person's sign-in. */
interface PersonSignIn {
  readonly transport: ProtectedServer;
  /** The last page that the browser showed. */
  readonly page: { status: number; text: string };
}

/** Returns a transport to a protected server, with its own token store. */
export function transportTo(server: ProtectedFixture, oauth: OAuthOptions = {}): ProtectedServer {
  return { type: 'http', url: server.url, oauth: { tokens: memoryTokenStore(), ...oauth } };
}

/** Signs in like a person with a browser. */
export async function signedIn(server: ProtectedFixture, transport = transportTo(server)): Promise<PersonSignIn> {
  let page: Promise<PersonSignIn['page']> | undefined;
  await signIn(transport, { onAuthorize: (url) => void (page = browse(url)), timeoutMs: 10_000 });
  assert.ok(page !== undefined);
  return { transport, page: await page };
}

/** Attempts a sign-in that must fail. Returns the error and the page that the browser showed. */
export async function failedSignIn(
  server: ProtectedFixture,
  timeoutMs = 10_000,
): Promise<{ error: string; page: string }> {
  const transport = transportTo(server);
  let page = Promise.resolve({ status: 0, text: '' });
  const failed = signIn(transport, { onAuthorize: (url) => void (page = browse(url)), timeoutMs });
  const error = await failed.then(
    () => assert.fail('the sign-in succeeded'),
    (reason: unknown) => String(reason),
  );
  assert.equal(server.provider.accessTokens.size, 0, 'no token was issued');
  return { error, page: (await page).text };
}

/** Returns the stored record of a sign-in, and its key. */
export async function storedRecord({ url, oauth }: ProtectedServer): Promise<{ key: string; text: string }> {
  const key = recordKey(new URL(url), oauth);
  return { key, text: (await oauth.tokens?.load(key)) ?? assert.fail('nothing is stored') };
}

/** Returns the arguments of a call of the fixture's tool `echo`. */
export function echo(text: string): [string, { text: string }] {
  return ['mcp__fixture__echo', { text }];
}
