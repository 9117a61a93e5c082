import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { resolveStoreAddress } from './open-store.ts';

describe('what "store" refers to', () => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-store-'));
  const given = {
    STORE_TEST_URL: 'postgres://u:p%40ss@h/d',
    STORE_TEST_KIND: 'sqlite',
    STORE_TEST_PASSWORD: 'p@ss/word',
    STORE_TEST_OTHER: 'mysql://u:hunter2@h/d',
  };
  const resolved = async (store: string): Promise<string> => {
    Object.assign(process.env, given);
    try {
      return await resolveStoreAddress(store, data);
    } finally {
      for (const name of Object.keys(given)) delete process.env[name];
      rmSync(data, { recursive: true, force: true });
    }
  };

  it('may be the whole of it, which is taken as it is', async () => {
    assert.equal(await resolved('${env:STORE_TEST_URL}'), 'postgres://u:p%40ss@h/d');
    assert.equal(await resolved('${STORE_TEST_KIND}'), 'sqlite');
    assert.equal(await resolved('${env:STORE_TEST_NONE:-sqlite}'), 'sqlite');
  });

  it('is escaped inside of an address', async () => {
    assert.equal(await resolved('postgres://u:${env:STORE_TEST_PASSWORD}@h/d'), 'postgres://u:p%40ss%2Fword@h/d');
  });

  it('is told when it is missing or no store, without its value', async () => {
    await assert.rejects(resolved('${env:STORE_TEST_NONE}'), {
      code: 'store-unavailable',
      message: 'the environment variable STORE_TEST_NONE is not set, to which store refers',
    });
    await assert.rejects(resolved('${secret:STORE_TEST_NONE}'), /the secret STORE_TEST_NONE is not set/);
    await assert.rejects(resolved('${env:STORE_TEST_OTHER}'), {
      code: 'store-unavailable',
      message: 'store refers to ${env:STORE_TEST_OTHER}, which is neither "sqlite" nor a "postgres://…" address',
    });
  });
});
