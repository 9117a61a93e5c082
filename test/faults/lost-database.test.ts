import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSignalbox, defineTool, localServer, postgresStore } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { startPostgres } from '../support/postgres/postgres.ts';

const cluster = await startPostgres();
after(() => cluster.end());

test('without the database no call with an effect runs, each error gives the reason, and calls run again afterwards', async (t) => {
  let runs = 0;
  const pay = defineTool({ name: 'pay', description: 'Pays.', effect: 'irreversible', run: () => (runs += 1) });
  const box = await createSignalbox({
    servers: [localServer({ name: 'bank', tools: [pay] })],
    store: await postgresStore({ address: cluster.address('bank') }),
    policies: [{ id: 'all', match: 'mcp__bank__pay', allow: true }],
  });
  t.after(() => box.close());
  assert.equal((await box.call('mcp__bank__pay')).outcome, 'completed');
  await cluster.stop();
  for (let call = 0; call < 5; call += 1) {
    const result = await box.call('mcp__bank__pay');
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'journal-unavailable']);
    assert.match(result.error?.message ?? '', /pay was not run.*PostgreSQL at/);
  }
  assert.equal(runs, 1);
  await cluster.start();
  await until(async () => (await box.call('mcp__bank__pay')).outcome === 'completed', 'calls run again');
  assert.equal(runs, 2);
  assert.equal((await box.journal.verify()).ok, true);
});
