import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { EventStream } from './streams/event-stream.ts';
import { Exchange, type ExchangeOptions } from './http-exchange.ts';

/** A response whose client can disconnect. */
async function asked(t: TestContext): Promise<{ response: ServerResponse; hangUp: () => Promise<unknown> }> {
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
  const hangUp = (): Promise<unknown> => {
    client.destroy();
    return once(response, 'close');
  };
  return { response, hangUp };
}

const options: ExchangeOptions = {
  accepted: { json: true, stream: true },
  headers: [],
  stream: () => new EventStream({ name: '1', primes: false, maxEvents: 10, maxBytes: 1000 }),
};

describe('a request whose client hangs up', () => {
  test('is over, also when that was before anybody began with it', async (t) => {
    const { response, hangUp } = await asked(t);
    await hangUp();
    const { stop: signal } = new Exchange(response, options);
    assert.equal(signal.aborted, true);
  });

  test('is over when its client does not come back, also when nobody can tell whether it might', async (t) => {
    const { response, hangUp } = await asked(t);
    const may = (): Promise<boolean> => Promise.reject(new Error('the store is busy'));
    const exchange = new Exchange(response, { ...options, withinMs: 1, mayReturn: may });
    const { signal } = exchange.stop;
    const over = once(signal, 'abort');
    exchange.send('{}');
    await hangUp();
    // The timer of the resumption does not keep the process alive.
    const alive = setInterval(() => undefined, 100);
    await over;
    clearInterval(alive);
    assert.equal(signal.aborted, true);
  });
});
