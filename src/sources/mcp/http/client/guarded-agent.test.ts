import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPrivateAddress, isPrivateHost, publicLookup, assertPublicAddress } from './guarded-agent.ts';

describe('isPrivateAddress', () => {
  for (const address of [
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '2001:0:7f00:1::',
    '2002:7f00:1::',
    'fec0::1',
  ]) {
    test(`accepts ${address}`, () => assert.ok(isPrivateAddress(address)));
  }
  for (const address of [
    '1.1.1.1',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '::ffff:1.1.1.1',
  ]) {
    test(`rejects ${address}`, () => assert.ok(!isPrivateAddress(address)));
  }
});

test('isPrivateHost accepts private addresses, single words, and suffixes that public DNS lacks', () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'nas', 'printer.local', 'api.corp.internal', 'a.localhost'])
    assert.ok(isPrivateHost(host), host);
  for (const host of ['example.org', 'localhost.example.org', '1.1.1.1', '127.0.0.1.nip.io'])
    assert.ok(!isPrivateHost(host), host);
});

test('assertPublicAddress rejects private addresses in any notation', () => {
  for (const url of ['http://2130706433/', 'http://0x7f.1/', 'http://127.1/', 'http://[::ffff:127.0.0.1]/'])
    assert.throws(() => assertPublicAddress(new URL(url).hostname), /an address of this machine/, url);
});

test('publicLookup rejects a name that resolves to a private address', async () => {
  const error = await new Promise((resolve) => publicLookup('localhost', {}, (given) => resolve(given)));
  assert.match(String(error), /localhost resolves to \S+, which is an address of this machine or of a private network/);
});
