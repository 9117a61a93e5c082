import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { EventStream } from './streams/event-stream.ts';
import { ResponseWriter } from './response-writer.ts';

/** Receives a request of a client that can disconnect. */
async function receiveRequest(
  t: TestContext,
): Promise<{ response: ServerResponse; disconnect: () => Promise<unknown> }> {
  const server = createServer();
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.on('error', () => undefined).end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const disconnect = (): Promise<unknown> => {
    client.destroy();
    return once(response, 'close');
  };
  return { response, disconnect };
}

const accepted = { json: true, stream: true };
const session = {
  headers: [],
  stream: () => new EventStream({ name: '1', primes: false, maxEvents: 10, maxBytes: 1000 }),
};

describe('ResponseWriter', () => {
  test('aborts the request of a client that disconnected before it was served', async (t) => {
    const { response, disconnect } = await receiveRequest(t);
    await disconnect();
    const { stop: signal } = new ResponseWriter({ response, mayReturn: () => Promise.resolve(true) }, accepted);
    assert.equal(signal.aborted, true);
  });

  test('aborts the request of a client that does not resume in time, also when its authorization cannot be checked', async (t) => {
    const { response, disconnect } = await receiveRequest(t);
    const mayReturn = (): Promise<boolean> => Promise.reject(new Error('the store is busy'));
    const writer = new ResponseWriter({ response, mayReturn }, accepted, session, 1, 1);
    const { signal } = writer.stop;
    const aborted = once(signal, 'abort');
    writer.send('{}');
    await disconnect();
    // The timer of the resumption does not keep the process alive.
    const keepAlive = setInterval(() => undefined, 100);
    await aborted;
    clearInterval(keepAlive);
    assert.equal(signal.aborted, true);
  });
});
