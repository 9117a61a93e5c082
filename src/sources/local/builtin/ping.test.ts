import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ping } from './server-info.ts';

test('ping answers "pong" with the time and the server it came to', () => {
  const now = (): Date => new Date('2026-11-15T10:00:00Z');
  assert.deepEqual(ping({ server: 'house', now }), {
    status: 'pong',
    timestamp: '2026-11-15T10:00:00.000Z',
    server: 'house',
  });
});
