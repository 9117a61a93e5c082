import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { httpTransport } from './http-transport.ts';

const call = { jsonrpc: '2.0', id: 'signalbox-1', method: 'tools/call', params: { name: 'echo' } } as const;
const result = { jsonrpc: '2.0', id: 'signalbox-1', result: { content: [] } };

/** What a server that answers so is asked, and what of it arrives. */
async function asked(
  t: TestContext,
  answer: (response: ServerResponse) => void,
  message: JSONRPCMessage = call,
): Promise<{ requests: IncomingHttpHeaders[]; messages: unknown[]; failure: unknown }> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    request.resume().on('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { transport } = httpTransport({ type: 'http', url, headers: { 'X-Team': 'blue' } }, 1000);
  t.after(async () => {
    await transport.close();
    server.close();
    server.closeAllConnections();
  });
  const messages: unknown[] = [];
  const arrived = new Promise<void>((resolve) => {
    const onmessage = (each: unknown): void => {
      messages.push(each);
      resolve();
    };
    Object.assign(transport, { onmessage });
  });
  await transport.start();
  const over = Promise.withResolvers<void>();
  const failure = await transport.send(message, { onRequestStreamEnd: over.resolve }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) await Promise.race([arrived, over.promise]);
  return { requests, messages, failure };
}

const respond =
  (type: string, body: string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': type }).end(body);

describe('a call of a tool over HTTP', () => {
  test('is asked once and answered, as a JSON document and as a stream of events', async (t) => {
    const event = `event: message\ndata: ${JSON.stringify(result)}\n\n`;
    for (const answer of [
      respond('application/json; charset=utf-8', JSON.stringify(result)),
      respond('text/event-stream', event),
    ]) {
      const { requests, messages } = await asked(t, answer);
      assert.deepEqual(messages, [result]);
      assert.equal(requests.length, 1);
      assert.equal(requests[0]?.['x-team'], 'blue');
    }
  });

  test('carries the headers of its revision', async (t) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const modern = { ...call, params: { name: 'echo', _meta } };
    const { requests } = await asked(t, respond('application/json', JSON.stringify(result)), modern);
    const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = requests[0] ?? {};
    assert.deepEqual({ version, method, name }, { version: '2026-07-28', method: 'tools/call', name: 'echo' });
  });

  test('is not asked again when the answer is refused, no message, too large or cut off', async (t) => {
    const cutOff = (response: ServerResponse): void => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 }).write('{');
      setImmediate(() => response.destroy());
    };
    for (const answer of [
      respond('text/plain', 'no', 500),
      respond('application/json', '{"jsonrpc":"1.0"}'),
      respond('application/json', '{'),
      respond('application/json', `"${'x'.repeat(2000)}"`),
      respond('text/html', '<p>'),
      respond('text/event-stream', `data: ${'x'.repeat(2000)}\n`, 500),
      cutOff,
    ]) {
      const { requests, messages, failure } = await asked(t, answer);
      assert.ok(failure instanceof Error);
      assert.deepEqual([requests.length, messages], [1, []]);
    }
  });

  test('is over when nothing that came answers it', { timeout: 20_000 }, async (t) => {
    const other = { ...result, id: 'another' };
    assert.deepEqual((await asked(t, respond('application/json', JSON.stringify(other)))).messages, [other]);
    for (const answer of [
      respond('application/json', '[]'),
      // One that would go on for ever.
      (response: ServerResponse) =>
        void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: x\n'.repeat(500)),
    ]) {
      const { requests, messages, failure } = await asked(t, answer);
      assert.deepEqual([requests.length, messages, failure], [1, [], undefined]);
    }
  });
});
