import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findFreePort } from './find-port.ts';

test('findFreePort skips a taken port', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const found = await findFreePort('127.0.0.1', port, true);
  assert.ok(found > port && found < port + 50);
  taken.close();
});

test('findFreePort returns any free port for 0', async () => {
  assert.ok((await findFreePort('127.0.0.1', 0, false)) > 0);
});

test('findFreePort rejects an address of another machine with the next step', async () => {
  await assert.rejects(findFreePort('192.0.2.1', 4242, true), {
    message: /cannot listen on 192\.0\.2\.1:4242/,
    next: /--host 127\.0\.0\.1/,
  });
});
