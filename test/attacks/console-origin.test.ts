import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openWindow, serve, type ServedProject } from '../browser/served-console.ts';
import { closeAfterTests } from '../browser/close-after-tests.ts';
import { sendRawRequest } from '../support/http/http-server.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly isPage: boolean;
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, { 'x-page'?: true; security?: readonly unknown[] }>>;
}

/** A server of another party, on another port of this host. */
interface OtherServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

async function startOtherServer(): Promise<OtherServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterTests(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const storedKey = "localStorage.getItem('signalbox-browser-key')";

describe('another origin on the same host that receives the browser cookie', () => {
  let served: ServedProject;
  let other: OtherServer;
  let page: Page;
  let cookie = '';
  let key = '';
  before(async () => {
    [served, other] = await Promise.all([serve(), startOtherServer()]);
    ({ page } = await openWindow(served));
    await page.getByText('Live', { exact: true }).waitFor();
    key = (await page.evaluate<string | null>(storedKey)) ?? '';
    const visited = await page.context().newPage();
    await visited.goto(other.url);
    cookie = other.requests.find(({ headers }) => headers.cookie !== undefined)?.headers.cookie ?? '';
    assert.match(cookie, /^signalbox-[\w-]{8}=[\w-]{43}$/, 'cookies ignore ports');
    assert.match(key, /^[\w-]{43}$/);
  });

  /** Sends a request with the headers of a console page, as far as another program can forge them. */
  const replay = (method: string, path: string, headers: Record<string, string>) => {
    const { host, port, origin } = new URL(served.url);
    const own = { host, origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers };
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? ['{}'] : [];
    return sendRawRequest({ port: Number(port) }, path, { method, headers: own, body });
  };

  async function operations(): Promise<readonly Operation[]> {
    const { paths } = (await served.request('GET', '/openapi.json')) as OpenApiDocument;
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { security }]) => security?.length !== 0)
        .map(([method, { 'x-page': isPage = false }]) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{\w+\}/g, 'x'),
          isPage,
        })),
    );
  }

  it('is rejected by every route with data, streams included, and no page reveals the key to it', async () => {
    const all = await operations();
    assert.ok(all.filter(({ isPage }) => !isPage).length > 60);
    for (const { method, path, isPage } of all) {
      for (const accept of ['application/json', 'text/event-stream']) {
        const { status, body, headers } = await replay(method, path, { cookie, accept });
        const name = `${method} ${path} for ${accept}`;
        if (isPage) assert.ok([200, 404].includes(status), `${name}: ${status}`);
        else assert.deepEqual([name, status, /"code":"([\w-]+)"/.exec(body)?.[1]], [name, 401, 'browser-key-wrong']);
        assert.ok(!(body + JSON.stringify(headers)).includes(key), `${name} does not reveal the key`);
      }
    }
    for (const path of ['/?token=', '/?token=x', `/?token=${cookie.split('=')[1]}`, '/api/nothing'])
      assert.doesNotMatch((await replay('GET', path, { cookie })).body, /signalbox-browser-key" content/, path);
  });

  it('is rejected with a forged key, with the key of another browser, and with the key alone', async () => {
    const { url: signInUrl } = (await served.request('POST', '/api/sign-in-links')) as { url: string };
    const otherBrowser = await openWindow({ url: served.url, signInUrl });
    const otherKey = (await otherBrowser.page.evaluate<string | null>(storedKey)) ?? '';
    assert.notEqual(otherKey, key);
    const attempts: Record<string, string>[] = [
      { cookie, 'signalbox-browser-key': '' },
      { cookie, 'signalbox-browser-key': 'x'.repeat(43) },
      { cookie, 'signalbox-browser-key': cookie.split('=')[1] ?? '' },
      { cookie, 'signalbox-browser-key': otherKey },
      { 'signalbox-browser-key': key },
      { authorization: `Bearer ${key}` },
    ];
    for (const headers of attempts)
      for (const path of ['/api/info', '/api/events', '/metrics'])
        assert.equal((await replay('GET', path, headers)).status, 401, JSON.stringify({ path, headers }));
    assert.equal((await replay('GET', '/api/info', { cookie, 'signalbox-browser-key': key })).status, 200);
  });

  it('cannot read the key or a response with scripts in that browser', async () => {
    const attackerPage = await page.context().newPage();
    await attackerPage.goto(other.url);
    assert.equal(await attackerPage.evaluate(storedKey), null);
    const responses = await attackerPage.evaluate(
      `Promise.all(['cors', 'no-cors'].map((mode) =>
        fetch('${served.url}/api/info', { credentials: 'include', mode }).then((response) => response.text(), String)))`,
    );
    assert.deepEqual(responses, ['TypeError: Failed to fetch', 'TypeError: Failed to fetch']);
    const frameAccess = await attackerPage.evaluate(
      `new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = () => { try { resolve(frame.contentWindow.localStorage.length); } catch (error) { resolve(error.name); } };
        frame.src = '${served.url}/';
        document.body.append(frame);
      })`,
    );
    assert.equal(frameAccess, 'SecurityError');
    await attackerPage.close();
  });

  it('does not disturb the console, which continues in all tabs and after a reload', async () => {
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const second = await page.context().newPage();
    await second.goto(`${served.url}/calls`);
    await second.getByText('Live', { exact: true }).waitFor();
    const addresses = await page.evaluate<string[]>('navigation.entries().map(({ url }) => url)');
    assert.ok(addresses.length > 0 && !addresses.join().includes('token='), 'the code is not in the history');
  });

  it('a browser without its key asks to sign in, and continues once another tab has signed in', async () => {
    const { url: signInUrl } = (await served.request('POST', '/api/sign-in-links')) as { url: string };
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    const second = await page.context().newPage();
    await second.goto(signInUrl);
    await second.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await second.evaluate(storedKey), null);
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
  });
});
