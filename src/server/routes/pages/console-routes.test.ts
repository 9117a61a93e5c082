import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sendRawRequest, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { ProblemDocument } from '../../problems/problem.ts';
import { consolePaths } from './console-routes.ts';

const page = '<!doctype html><script type="module" src="/console/index-1.js"></script>';
const script = `console.log(${JSON.stringify('x'.repeat(500))})`;

function builtConsole(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-console-'));
  test.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'console'));
  writeFileSync(join(directory, 'index.html'), page);
  const path = join(directory, 'console', 'index-1.js');
  writeFileSync(path, script);
  writeFileSync(`${path}.br`, brotliCompressSync(script));
  writeFileSync(`${path}.gz`, gzipSync(script));
  writeFileSync(join(directory, 'secret.txt'), 'not a file of the console');
  return directory;
}

describe('console routes', () => {
  it('serve the same page at each path of the console, without caching', async (test) => {
    const directory = builtConsole(test);
    const { get } = await startTestServer(test, { findConsole: () => Promise.resolve(directory) });
    for (const path of Object.keys(consolePaths)) {
      const response = await get(path.replaceAll(/\{\w+\}/g, 'a%2Fb'));
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(await response.text(), page);
    }
  });

  it('serve files as immutable, compressed if the client accepts it', async (test) => {
    const directory = builtConsole(test);
    const { get, server, signIn } = await startTestServer(test, { findConsole: () => Promise.resolve(directory) });
    const response = await get('/console/index-1.js');
    assert.match(response.headers.get('cache-control') ?? '', /immutable/);
    assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(await response.text(), script);
    const { cookie } = await signIn();
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', undefined],
    ]) {
      const headers = { cookie, host: `127.0.0.1:${server.port}`, 'accept-encoding': accepted ?? '' };
      const bare = await sendRawRequest(server, '/console/index-1.js', { headers });
      assert.equal(bare.headers['content-encoding'], encoding, accepted);
      assert.equal(bare.headers.vary, 'Accept-Encoding');
    }
  });

  it('serve only the files of the build', async (test) => {
    const directory = builtConsole(test);
    const { get } = await startTestServer(test, { findConsole: () => Promise.resolve(directory) });
    for (const name of ['index-2.js', '..%2Fsecret.txt', 'index-1.js.br', '%2E%2E%2Findex.html']) {
      const response = await get(`/console/${name}`);
      assert.equal(response.status, 404, name);
      assert.equal((await bodyOf<ProblemDocument>(response)).code, 'route-unknown');
    }
  });

  it('look for the console again after it was missing', async (test) => {
    const directory = builtConsole(test);
    let isBuilt = false;
    const findConsole = async (): Promise<string> => {
      if (isBuilt) return directory;
      throw new Error('The console could not be built: run npm install');
    };
    const { get } = await startTestServer(test, { findConsole });
    const missing = await get('/inbox');
    assert.equal(missing.status, 503);
    assert.match(await missing.text(), /could not be built: run npm install/);
    isBuilt = true;
    assert.equal(await (await get('/inbox')).text(), page);
  });
});
