import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { adminIdentity } from '../identity.ts';
import { OpenRequests } from './open-requests.ts';

test('a request whose client hung up while its token was looked at is not kept', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const outgoing = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  outgoing.on('error', () => undefined).end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  outgoing.destroy();
  await once(response, 'close');
  let looked = 0;
  const open = new OpenRequests(() => {
    looked += 1;
    return Promise.resolve(true);
  });
  open.add(adminIdentity, response);
  await wait(1500);
  assert.equal(looked, 0);
});
