import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findFreePort } from './find-port.ts';

test('a taken port is passed over', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const found = await findFreePort('127.0.0.1', port);
  assert.ok(found > port && found < port + 50);
  taken.close();
});

test('port 0 is any free one', async () => {
  assert.ok((await findFreePort('127.0.0.1', 0)) > 0);
});

test('an address of another machine is refused, with what to do', async () => {
  await assert.rejects(findFreePort('192.0.2.1', 4242), /cannot listen on 192\.0\.2\.1:4242/);
});
