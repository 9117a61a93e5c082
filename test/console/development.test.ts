import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer } from 'vite';
import { startTestServer } from '../support/http/http-server.ts';

test('the development server of the console rejects calls from other origins', async (context) => {
  const { server, signIn } = await startTestServer(context);
  process.env['SIGNALBOX_URL'] = server.url;
  const configFile = join(import.meta.dirname, '..', '..', 'console', 'vite.config.ts');
  const vite = await createServer({
    configFile,
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    server: { port: 0, hmr: false, watch: null },
  });
  context.after(() => vite.close());
  await vite.listen();
  const url = new URL(vite.resolvedUrls?.local[0] ?? '').origin;
  const browser = await signIn();
  const callFrom = async (origin: string): Promise<number> => {
    const headers = { ...browser, origin, 'content-type': 'application/json' };
    const path = '/api/tools/mcp__test__echo/call';
    const body = JSON.stringify({ arguments: { text: 'a' } });
    return (await fetch(url + path, { method: 'POST', headers, body })).status;
  };
  assert.equal(await callFrom(url), 200);
  for (const origin of ['http://127.0.0.1:1', 'http://example.org', 'null'])
    assert.equal(await callFrom(origin), 404, origin);
});
