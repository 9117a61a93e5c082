import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ping, serverInfo } from './server-info.ts';

const uptimeSeconds = (): number => 61.6;

test('tells product, version and port, and no uptime unless asked', () => {
  assert.deepEqual(serverInfo({ version: '1.2.3', port: 4242, uptimeSeconds }, false), {
    product: 'Signalbox',
    port: 4242,
    version: '1.2.3',
  });
});

test('tells the uptime in whole seconds when asked', () => {
  assert.deepEqual(serverInfo({ version: '1.2.3', port: 4242, uptimeSeconds }, true), {
    product: 'Signalbox',
    port: 4242,
    version: '1.2.3',
    uptime_seconds: 62,
  });
});

test('tells null where there is no port', () => {
  assert.equal(serverInfo({ version: '1.2.3', port: undefined, uptimeSeconds }, false).port, null);
});

test('ping answers "pong" with the time and the server it came to', () => {
  const now = (): Date => new Date('2026-11-15T10:00:00Z');
  assert.deepEqual(ping({ server: 'house', now }), {
    status: 'pong',
    timestamp: '2026-11-15T10:00:00.000Z',
    server: 'house',
  });
});
