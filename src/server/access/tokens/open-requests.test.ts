import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { adminIdentity } from '../identity.ts';
import { OpenRequests } from './open-requests.ts';

test('OpenRequests does not track a request whose client disconnected during the check of its token', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const outgoing = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  outgoing.on('error', () => undefined).end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  outgoing.destroy();
  await once(response, 'close');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let checks = 0;
  const open = new OpenRequests(() => {
    checks += 1;
    return Promise.resolve(true);
  });
  open.add(adminIdentity, response);
  t.mock.timers.tick(1500);
  assert.equal(checks, 0);
});
