import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sdkClients } from './clients/sdk-clients.ts';
import { tryClients } from './clients/try-clients.ts';
import { PackageCache, isOwnDependency } from './package-cache.ts';
import { readServerList } from './server-list.ts';
import { problemsOf } from './tables.ts';
import { tryServer } from './try-server.ts';

const cache = new PackageCache();
const list = readServerList();

test('the server list has at least 40 servers', () => {
  assert.ok(list.length >= 40);
});

describe('published servers are equal with and without Signalbox', { timeout: 600_000 }, () => {
  for (const server of list.filter(({ package: spec }) => isOwnDependency(spec)))
    test(server.name, async () => {
      const result = await tryServer(server, cache.programOf(server.package, server.bin));
      assert.deepEqual(problemsOf([result], []), []);
      assert.ok((result.counts?.requests ?? 0) > 0);
    });
});

describe('clients complete every step through Signalbox', { timeout: 600_000 }, () => {
  for (const client of sdkClients)
    test(client.name, async () => {
      assert.deepEqual(problemsOf([], await tryClients([client], cache)), []);
    });
});
