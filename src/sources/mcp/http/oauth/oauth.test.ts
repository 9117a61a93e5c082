import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { boxed, until } from '../../../../../test/mcp-servers/boxed.ts';
import { type ProtectedFixture, browse, protectedServer } from '../../../../../test/mcp-servers/protected-server.ts';
import { type OAuthOptions, type ProtectedServer, signIn, signOut } from '../../../../index.ts';
import { memoryTokenStore } from './token-store.ts';

interface Person {
  readonly transport: ProtectedServer;
  /** The page on which the browser ended. */
  readonly page: { status: number; text: string };
}

function transportTo(server: ProtectedFixture, oauth: OAuthOptions = {}): ProtectedServer {
  return { type: 'http', url: server.url, oauth: { tokens: memoryTokenStore(), ...oauth } };
}

/** Signs in as a person with a browser does. */
async function signedIn(server: ProtectedFixture, transport = transportTo(server)): Promise<Person> {
  let page: Promise<Person['page']> | undefined;
  await signIn(transport, { onAuthorize: (url) => void (page = browse(url)), timeoutMs: 10_000 });
  assert.ok(page !== undefined);
  return { transport, page: await page };
}

/** Tries to sign in; answers why it failed and what the browser showed. */
async function notSignedIn(server: ProtectedFixture, timeoutMs = 10_000): Promise<{ why: string; page: string }> {
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

function echo(text: string): [string, { text: string }] {
  return ['mcp__fixture__echo', { text }];
}

for (const era of ['legacy', 'modern'] as const)
  test(`a person signs in with the browser, and the tools of the server can be called (${era})`, async (t) => {
    const server = await protectedServer(t, era);
    const { transport, page } = await signedIn(server);
    assert.equal(page.status, 200);
    assert.match(page.text, /Signed in/);
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
  });
