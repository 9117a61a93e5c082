import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { adminToken } from './local-tokens.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-token-'));
after(() => rmSync(directory, { recursive: true }));

test('the admin token is created once in a private file, and read again', () => {
  const data = join(directory, 'data');
  const first = adminToken(data, '');
  assert.match(first.value, /^sbx_[\w-]{43}$/);
  assert.deepEqual(adminToken(data, ''), first);
  assert.deepEqual(readdirSync(data), ['token']);
  assert.equal(statSync(join(data, 'token')).mode & 0o777, 0o600);
  assert.equal(statSync(data).mode & 0o777, 0o700);
});

test('a token file that other users can read is made private', () => {
  const file = join(directory, 'data', 'token');
  chmodSync(file, 0o644);
  adminToken(join(directory, 'data'), '');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('SIGNALBOX_TOKEN takes precedence over the file', () => {
  assert.deepEqual(adminToken(directory, 'a-long-enough-token'), {
    value: 'a-long-enough-token',
    location: 'SIGNALBOX_TOKEN',
  });
});

test('a short or empty token is rejected', () => {
  assert.throws(() => adminToken(directory, 'short'), /shorter than 16/);
  writeFileSync(join(directory, 'token'), '\n');
  assert.throws(() => adminToken(directory, ''), /does not contain a valid token/);
});
