import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type TestContext, describe, test } from 'node:test';
import express from 'express';
import { firstClient, secondClient } from '../../../test/mcp-clients/clients.ts';
import { send } from '../../../test/mcp-clients/raw.ts';
import { type Signalbox, type SignalboxOptions, createSignalbox } from '../../index.ts';
import { type McpCaller, type McpEndpointOptions, mcpEndpoint } from './index.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const agent: McpCaller = { principal: 'ann' };

/** Starts an HTTP server and resolves with its URL. */
async function startHttpServer(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/tools`);
}

interface Embedded {
  readonly box: Signalbox;
  readonly url: URL;
  readonly logged: string[];
}

/** Mounts a box in a plain Node HTTP server. */
async function embed(
  t: TestContext,
  options: { box?: SignalboxOptions; caller?: McpCaller; endpoint?: McpEndpointOptions } = {},
): Promise<Embedded> {
  const box = await createSignalbox(options.box);
  t.after(() => box.close());
  const logged: string[] = [];
  const endpoint = mcpEndpoint(box, { log: (line) => void logged.push(line), ...options.endpoint });
  t.after(() => endpoint.close());
  const url = await startHttpServer(
    t,
    (request, response) => void endpoint.handle(request, response, options.caller ?? agent),
  );
  return { box, url, logged };
}

/** Returns the principals of the recorded calls. */
async function recordedPrincipals(box: Signalbox): Promise<string[]> {
  return (await box.journal.calls()).items.map(({ principal }) => principal.id);
}

describe('mcpEndpoint over HTTP', () => {
  test('serves clients of every revision, and records the principal that the host server passes', async (t) => {
    const { box, url, logged } = await embed(t);
    const [first, ...second] = [
      await firstClient(t, url),
      await secondClient(t, url, 'legacy'),
      await secondClient(t, url, 'modern'),
    ];
    const call = { name: 'mcp__signalbox__ping', arguments: {} };
    assert.ok((await first.listTools()).tools.some(({ name }) => name === call.name));
    for (const answer of [
      await first.callTool(call),
      ...(await Promise.all(second.map((each) => each.callTool(call)))),
    ])
      assert.match(JSON.stringify(answer), /pong/);
    assert.deepEqual(await recordedPrincipals(box), ['ann', 'ann', 'ann']);
    assert.deepEqual(logged, []);
  });

  test('accepts the body that Express has parsed', async (t) => {
    const box = await createSignalbox();
    t.after(() => box.close());
    const endpoint = mcpEndpoint(box);
    t.after(() => endpoint.close());
    const app = express().use(express.json());
    app.all('/tools', (request, response) => endpoint.handle(request, response, agent, request.body));
    const url = await startHttpServer(t, app as RequestListener);
    const client = await secondClient(t, url, 'legacy');
    assert.match(JSON.stringify(await client.callTool({ name: 'mcp__signalbox__ping', arguments: {} })), /pong/);
  });

  test('shows a client its profile, and refuses a profile with `trustsHuman` to an untrusted caller', async (t) => {
    const box = { profiles: { narrow: { tools: ['ping'] }, trusting: { trustsHuman: true } } };
    const { url } = await embed(t, { box, caller: { principal: 'ann', profile: 'narrow' } });
    const { tools } = await (await secondClient(t, url, 'modern')).listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['mcp__signalbox__ping'],
    );
    for (const [caller, status] of [
      [{ principal: 'ann', profile: 'trusting' }, 403],
      [{ principal: 'ann', profile: 'none' }, 400],
    ] as const)
      assert.equal((await send((await embed(t, { box, caller })).url, ping)).status, status);
    const trusted = await embed(t, { box, caller: { principal: 'ann', profile: 'trusting', trusted: true } });
    await secondClient(t, trusted.url, 'legacy');
  });
});

/** Returns the status of a request with these headers, which browsers and `fetch` would not send. */
async function statusWith(url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const defaults = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const request = httpRequest(url, { method: 'POST', headers: { ...defaults, ...headers } });
  request.end(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
  );
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

describe('input validation of mcpEndpoint', () => {
  test('refuses a host that is not allowed, and a page of another origin', async (t) => {
    const { url } = await embed(t);
    assert.equal(await statusWith(url, {}), 200);
    assert.equal(await statusWith(url, { Origin: url.origin }), 200);
    assert.equal(await statusWith(url, { Host: `localhost:${url.port}` }), 200);
    assert.equal(await statusWith(url, { Host: 'evil.example' }), 403);
    assert.equal(await statusWith(url, { Origin: 'https://evil.example' }), 403);
    const named = await embed(t, { endpoint: { allowedHosts: ['Tools.example'] } });
    assert.equal(await statusWith(named.url, { Host: 'tools.example:8443' }), 200);
    assert.equal(await statusWith(named.url, {}), 403);
  });

  test('refuses a body that is too large or not JSON text, and serves the next request', async (t) => {
    const { url, logged } = await embed(t, { endpoint: { maxBodyBytes: 1000 } });
    assert.equal((await send(url, 'x'.repeat(2000))).status, 413);
    assert.equal((await send(url, '{')).status, 400);
    assert.equal((await send(url, Buffer.from([0x7b, 0xff, 0xfe]))).status, 400);
    assert.equal((await send(url, ping, { 'Content-Type': 'text/plain' })).status, 415);
    assert.equal(await statusWith(url, {}), 200);
    assert.deepEqual(logged, []);
  });
});

test('mcpEndpoint.stdio serves one client until its input ends', async (t) => {
  const box = await createSignalbox();
  t.after(() => box.close());
  const endpoint = mcpEndpoint(box);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = endpoint.stdio({ principal: 'pipe', input, output });
  const lines = createInterface({ input: output });
  const line = once(lines, 'line') as Promise<[string]>;
  input.write(`${ping}\n`);
  assert.equal((await line)[0], '{"jsonrpc":"2.0","id":1,"result":{}}');
  input.end();
  await served;
  endpoint.close();
});
