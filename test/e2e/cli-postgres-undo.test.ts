import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, suite, test } from 'node:test';
import { postgresStore } from '../../src/index.ts';
import { startPostgres } from '../support/postgres.ts';
import { undoableWrites } from '../support/undoable-writes.ts';
import { Place } from './cli-place.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** The same as elsewhere, with records in PostgreSQL. */
async function written(place: Place, address: string, ...texts: readonly string[]): ReturnType<typeof undoableWrites> {
  const store = await postgresStore({ address });
  try {
    return await undoableWrites(place, texts, store);
  } finally {
    await store.close();
  }
}

const placeAt = (address: string): Place => new Place({ 'signalbox.config.json': JSON.stringify({ store: address }) });

suite('undo with records in PostgreSQL', () => {
  test('restores what calls changed, where they ran, the last one first', async () => {
    const address = cluster.address('here');
    const place = placeAt(address);
    const { file, calls } = await written(place, address, 'one', 'two');
    const refused = await place.json(['undo', calls[0] ?? ''], 1);
    assert.equal(refused['outcome'], 'conflict');
    assert.equal(readFileSync(file, 'utf8'), 'two');
    const { items } = await place.json(['undo', '--session', 's']);
    assert.deepEqual(
      (items as { callId: string; outcome: string }[]).map(({ callId, outcome }) => [callId, outcome]),
      calls.toReversed().map((call) => [call, 'undone']),
    );
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });

  test('says on which machine a call can be undone that ran elsewhere, and takes nothing back past it', async () => {
    const address = cluster.address('elsewhere');
    const place = placeAt(address);
    const { file, calls } = await written(place, address, 'after');
    const store = await postgresStore({ address });
    const [entry] = await store.entries({ order: 'newest-first', limit: 1, type: 'ToolInvoked' });
    assert.ok(entry !== undefined);
    assert.equal((JSON.parse(entry.body) as { machine: string }).machine, hostname());
    const body = JSON.stringify({ ...(JSON.parse(entry.body) as object), machine: 'machine-b' });
    await store.append([{ ...entry, call: 'call_elsewhere', body }]);
    await store.close();
    const refused = await place.run(['undo', 'call_elsewhere']);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /undo-unavailable.*it ran on machine-b.*undo it there: signalbox undo call_elsewhere/s,
    );
    const { items } = await place.json(['undo', '--session', 's'], 1);
    assert.deepEqual(
      (items as { callId: string; outcome: string }[]).map(({ callId, outcome }) => [callId, outcome]),
      [['call_elsewhere', 'failed']],
    );
    assert.equal(readFileSync(file, 'utf8'), 'after');
    assert.equal((await place.run(['undo', calls[0] ?? ''])).code, 0);
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });
});
