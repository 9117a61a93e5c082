import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { resolveStoreAddress } from './open-store.ts';

describe('resolveStoreAddress', () => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-store-'));
  const variables = {
    STORE_TEST_URL: 'postgres://u:p%40ss@h/d',
    STORE_TEST_KIND: 'sqlite',
    STORE_TEST_PASSWORD: 'p@ss/word',
    STORE_TEST_OTHER: 'mysql://u:hunter2@h/d',
  };
  const resolved = async (store: string): Promise<string> => {
    Object.assign(process.env, variables);
    try {
      return await resolveStoreAddress(store, data);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
      rmSync(data, { recursive: true, force: true });
    }
  };

  it('uses the value of a reference to a whole address unchanged', async () => {
    assert.equal(await resolved('${env:STORE_TEST_URL}'), 'postgres://u:p%40ss@h/d');
    assert.equal(await resolved('${STORE_TEST_KIND}'), 'sqlite');
    assert.equal(await resolved('${env:STORE_TEST_NONE:-sqlite}'), 'sqlite');
  });

  it('percent-encodes the value of a reference inside an address', async () => {
    assert.equal(await resolved('postgres://u:${env:STORE_TEST_PASSWORD}@h/d'), 'postgres://u:p%40ss%2Fword@h/d');
  });

  it('reports a missing or invalid value without showing it', async () => {
    await assert.rejects(resolved('${env:STORE_TEST_NONE}'), {
      code: 'store-unavailable',
      message: 'store refers to the environment variable STORE_TEST_NONE, which is not set',
    });
    await assert.rejects(resolved('${secret:STORE_TEST_NONE}'), /the secret STORE_TEST_NONE, which is not set/);
    await assert.rejects(resolved('${env:STORE_TEST_OTHER}'), {
      code: 'store-unavailable',
      message: 'store refers to ${env:STORE_TEST_OTHER}, which is neither "sqlite" nor a "postgres://…" address',
    });
  });
});
