import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type TestContext, describe, it } from 'node:test';
import {
  type BrowserHeaders,
  adminToken,
  browserHeaders,
  bodyOf,
  startTestServer,
} from '../../../../test/support/http/http-server.ts';
import { within } from '../../../../test/support/within.ts';
import type { RunningServer } from '../../server-options.ts';
import { startServer } from '../../start-server.ts';
import { BrowserSessions, maxIdleSeconds } from './browser-sessions.ts';
import { SignInCodes } from './sign-in-codes.ts';

const manual = { redirect: 'manual' } as const;

const ada = { id: 'user:ada', kind: 'human', name: 'Ada' } as const;

describe('the sign-in link', () => {
  it('sets an HttpOnly, SameSite cookie and sends the browser key only in the body', async (test) => {
    const { server } = await startTestServer(test);
    const response = await fetch(await server.signInUrl(), manual);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const { 'signalbox-browser-key': key } = await browserHeaders(response.clone());
    assert.match(key, /^[\w-]{43}$/);
    assert.ok(![...response.headers.values(), response.url].some((text) => text.includes(key)));
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(response.headers.get('content-security-policy')?.includes(`script-src 'self' 'sha256-${hash}'`));
    const cookie = response.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^signalbox-[\w-]{8}=[\w-]{43};/);
    for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=2592000'])
      assert.ok(cookie.includes(flag), flag);
  });

  it('signs a browser in to the pages and the API', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const browser = await signIn();
    for (const path of ['/docs', '/api/tools', '/assets/page.css']) {
      assert.equal((await fetch(server.url + path, { headers: { ...browser } })).status, 200, path);
    }
  });

  it('issues a cookie and a key, and data requires both', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const [one, other] = [await signIn(), await signIn()];
    const { cookie, 'signalbox-browser-key': key } = one;
    const resultOf = async (path: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(server.url + path, { headers });
      return response.ok ? 'ok' : `${response.status} ${(await bodyOf<{ code: string }>(response)).code}`;
    };
    for (const path of ['/api/info', '/api/events', '/api/nothing', '/metrics']) {
      assert.equal(await resultOf(path, { cookie }), '401 browser-key-wrong', path);
      assert.equal(await resultOf(path, { cookie, 'signalbox-browser-key': 'wrong' }), '401 browser-key-wrong', path);
      assert.equal(await resultOf(path, { ...other, cookie }), '401 browser-key-wrong', path);
      assert.equal(await resultOf(path, { 'signalbox-browser-key': key }), '401 token-missing', path);
    }
    for (const path of ['/docs', '/openapi.json', '/assets/page.css'])
      assert.equal(await resultOf(path, { cookie }), 'ok');
    assert.equal(await resultOf('/metrics', { ...one }), 'ok');
  });

  it('signs in a browser again that lost its key or whose stored session has none', async (test) => {
    const { server, signIn, box } = await startTestServer(test);
    const { cookie } = await signIn();
    const second = await fetch(await server.signInUrl(), { ...manual, headers: { cookie } });
    assert.equal(
      (await fetch(`${server.url}/api/info`, { headers: { ...(await browserHeaders(second)) } })).status,
      200,
    );
    for (const { key, until } of await box.shared.keyValues.list('sign-in'))
      await box.shared.keyValues.put('sign-in', key, { text: '', until });
    const sessions = await BrowserSessions.open(box.shared, adminToken);
    assert.equal(await sessions.touch(cookie.split('=')[1] ?? ''), undefined);
    const page = await fetch(server.url, { headers: { cookie: `${sessions.cookie}=of-an-earlier-version` } });
    assert.equal(page.status, 401);
    assert.match(await page.text(), /no longer signed in.*<code>signalbox open<\/code>/s);
  });

  it('can be used once', async (test) => {
    const { server } = await startTestServer(test);
    const link = await server.signInUrl();
    assert.equal((await fetch(link, manual)).status, 200);
    const second = await fetch(link, manual);
    assert.equal(second.status, 401);
    assert.equal(second.headers.get('set-cookie'), null);
    assert.match(await second.text(), /already used, has expired.*<code>signalbox open<\/code>/s);
  });

  it('leaves a signed-in browser signed in when it is opened again', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const { cookie } = await signIn();
    const response = await fetch(`${server.url}/?token=used`, { ...manual, headers: { cookie } });
    assert.equal(response.status, 303);
    assert.equal(await response.text(), '', 'no key is issued');
  });

  it('is not consumed by a HEAD request or a prefetch', async (test) => {
    const { server } = await startTestServer(test);
    const link = await server.signInUrl();
    assert.equal((await fetch(link, { ...manual, method: 'HEAD' })).status, 401);
    const headers = { 'sec-purpose': 'prefetch;prerender' };
    assert.equal((await fetch(link, { ...manual, headers })).status, 401);
    assert.equal((await fetch(link, manual)).status, 200);
  });

  it('can be created with the admin token for another browser', async (test) => {
    const { server, send, token } = await startTestServer(test);
    const made = await send(adminToken, 'POST', '/api/sign-in-links');
    assert.equal(made.status, 201);
    const { url } = (await made.json()) as { url: string };
    assert.ok(url.startsWith(`${server.url}/?token=`));
    assert.equal((await fetch(url, manual)).status, 200);
    assert.equal((await fetch(url, manual)).status, 401);
    const { token: approver } = await token('approver');
    assert.equal((await send(approver, 'POST', '/api/sign-in-links')).status, 403);
  });

  it('signing out ends only the session of that browser, with its streams', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const [leaving, staying] = [await signIn(), await signIn()];
    const stream = await fetch(`${server.url}/api/events`, { headers: { ...leaving } });
    assert.equal(stream.status, 200);
    const refused = await fetch(`${server.url}/api/sign-out`, { method: 'POST', headers: { ...leaving } });
    assert.equal(refused.status, 403, 'requires an Origin');
    const headers = { ...leaving, origin: server.url };
    const left = await fetch(`${server.url}/api/sign-out`, { method: 'POST', headers });
    assert.equal(left.status, 204);
    assert.match(left.headers.get('set-cookie') ?? '', /^signalbox-[\w-]{8}=;.*Max-Age=0/);
    await assert.rejects(stream.text());
    const status = async (browser: BrowserHeaders): Promise<number> =>
      (await fetch(`${server.url}/api/info`, { headers: { ...browser } })).status;
    assert.deepEqual([await status(leaving), await status(staying)], [401, 200]);
  });

  it('does not track a request whose browser disconnected during authentication', async (test) => {
    const sessions = await BrowserSessions.open((await openBox(test)).shared, adminToken);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const closed = once(response, 'close');
    response.destroy();
    await closed;
    sessions.endWith((await sessions.create(ada)).id, response);
    assert.equal(response.listenerCount('close'), 0);
  });

  it('does not cache a session that was signed out during the lookup', async (test) => {
    const { shared } = await openBox(test);
    const sessions = await BrowserSessions.open(shared, adminToken);
    const { id } = await sessions.create(ada);
    const get = shared.keyValues.get.bind(shared.keyValues);
    const { promise: signedOut, resolve: signOut } = Promise.withResolvers<void>();
    const slowGet = async (kind: string, key: string): ReturnType<typeof get> => {
      const found = await get(kind, key);
      await signedOut;
      return found;
    };
    test.mock.method(shared.keyValues, 'get', slowGet, { times: 1 });
    const lookup = sessions.touch(id);
    await sessions.close(id, new ServerResponse(new IncomingMessage(new Socket())));
    signOut();
    await lookup;
    assert.equal(await sessions.touch(id), undefined);
  });

  it('contains a code that is valid only for signing in, not as an API token', async (test) => {
    const { server } = await startTestServer(test);
    const link = await server.signInUrl();
    const code = new URL(link).searchParams.get('token') ?? '';
    assert.equal((await fetch(`${server.url}/api/info`, { headers: { authorization: `Bearer ${code}` } })).status, 401);
    assert.equal((await fetch(`${server.url}/api/info?token=${code}`)).status, 401);
    assert.equal((await fetch(link, manual)).status, 200, 'the code is still valid');
  });

  it('refuses an unknown cookie', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const browser = await signIn();
    const [name] = browser.cookie.split('=');
    const headers = { ...browser, cookie: `${name}=${'a'.repeat(43)}` };
    assert.equal((await fetch(`${server.url}/api/info`, { headers })).status, 401);
  });

  it('without a sign-in, pages explain how to sign in, under a policy that allows their style', async (test) => {
    const { server } = await startTestServer(test);
    for (const path of ['/', '/docs']) {
      const response = await fetch(server.url + path);
      const page = await response.text();
      assert.equal(response.status, 401);
      assert.match(page, /not signed in.*signalbox open/s);
      const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      assert.ok(response.headers.get('content-security-policy')?.includes(`'sha256-${hash}'`));
    }
  });
});

describe('the sign-in page', () => {
  it('has one text for each reason, and offers the console only to a browser that may be signed in', async (test) => {
    const { server } = await startTestServer(test);
    const textOf = async (path: string, site: string): Promise<string> => {
      const response = await fetch(server.url + path, { headers: { 'sec-fetch-site': site } });
      return (await response.text()).replaceAll(/\s+/g, ' ');
    };
    for (const [path, site, texts] of [
      ['/', 'none', ['This browser is not signed in.']],
      ['/', 'cross-site', ['followed a link from another site']],
      ['/?token=used', 'none', ['already used']],
      ['/?token=used', 'cross-site', ['already used', 'followed a link from another site']],
    ] as const) {
      const text = await textOf(path, site);
      const all = ['This browser is not signed in.', 'followed a link from another site', 'already used'];
      assert.deepEqual(all.filter((each) => text.includes(each)).toSorted(), [...texts].toSorted(), `${path} ${site}`);
    }
  });
});

describe('expiry of a sign-in', () => {
  it('a code expires after ten minutes', async (test) => {
    const codes = new SignInCodes((await openBox(test)).shared.keyValues);
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [early, late] = [await codes.create(ada), await codes.create(ada)];
    test.mock.timers.tick(10 * 60_000 - 1);
    assert.deepEqual(await codes.redeem(early), ada);
    test.mock.timers.tick(1);
    assert.equal(await codes.redeem(late), undefined);
  });

  it('a browser is signed out after thirty idle days; each use restarts the time', async (test) => {
    const sessions = await BrowserSessions.open((await openBox(test)).shared, adminToken);
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { id } = await sessions.create(ada);
    test.mock.timers.tick(maxIdleSeconds * 1000 - 1);
    assert.deepEqual(await sessions.touch(id), ada);
    test.mock.timers.tick(maxIdleSeconds * 1000 - 1);
    assert.deepEqual(await sessions.touch(id), ada, 'the first use restarted the time');
    test.mock.timers.tick(maxIdleSeconds * 1000);
    assert.equal(await sessions.touch(id), undefined);
  });
});

describe('sign-in with several replicas', () => {
  async function startTwo(test: TestContext, tokens = [adminToken, adminToken]): Promise<RunningServer[]> {
    const box = await openBox(test);
    return await Promise.all(
      tokens.map(async (token) => {
        const server = await startServer({ box, host: '127.0.0.1', port: 0, token, limits: { graceMs: 100 } });
        test.after(() => server.close());
        return server;
      }),
    );
  }

  const status = async ({ url }: RunningServer, browser: BrowserHeaders): Promise<number> =>
    (await fetch(`${url}/api/info`, { headers: { ...browser } })).status;

  it('a link of any replica works once, and the replicas share the session until sign-out', async (test) => {
    const [one, other] = (await startTwo(test)) as [RunningServer, RunningServer];
    const link = await one.signInUrl();
    const signedIn = await fetch(link.replace(one.url, other.url), manual);
    assert.equal(signedIn.status, 200);
    assert.equal((await fetch(link, manual)).status, 401, 'a code works once');
    const browser = await browserHeaders(signedIn);
    assert.deepEqual([await status(one, browser), await status(other, browser)], [200, 200]);
    const stream = await fetch(`${one.url}/api/events`, { headers: { ...browser } });
    const headers = { ...browser, origin: other.url };
    assert.equal((await fetch(`${other.url}/api/sign-out`, { method: 'POST', headers })).status, 204);
    await assert.rejects(within(stream.text(), 'the stream at the other replica ends'));
    assert.deepEqual([await status(one, browser), await status(other, browser)], [401, 401]);
  });

  it('sessions that were created with another admin token are refused', async (test) => {
    const [one, other] = (await startTwo(test, [adminToken, `${adminToken}-another`])) as [
      RunningServer,
      RunningServer,
    ];
    const browser = await browserHeaders(await fetch(await one.signInUrl(), manual));
    assert.deepEqual([await status(one, browser), await status(other, browser)], [200, 401]);
  });

  it('no credential is stored in plain text', async (test) => {
    const { shared } = await openBox(test);
    const { keyValues } = shared;
    const [sessions, codes] = [await BrowserSessions.open(shared, adminToken), new SignInCodes(keyValues)];
    const [{ id, key: browserKey }, code] = [await sessions.create(ada), await codes.create(ada)];
    const written = [...(await keyValues.list('sign-in')), ...(await keyValues.list('sign-in-code'))];
    assert.equal(written.length, 2);
    for (const secret of [id, browserKey, code]) assert.ok(!JSON.stringify(written).includes(secret));
    for (const { key } of written) {
      assert.equal(await sessions.touch(key), undefined);
      assert.equal(await sessions.isProven({ id, key }), false);
      assert.equal(await codes.redeem(key), undefined);
    }
  });
});

async function openBox(test: TestContext): Promise<InternalSignalbox> {
  const box = await openSignalbox();
  test.after(() => box.close());
  return box;
}
