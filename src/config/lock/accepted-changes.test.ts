import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, after, describe, test } from 'node:test';
import { startPostgres } from '../../../test/support/postgres.ts';
import { within } from '../../../test/support/within.ts';
import type { Lock } from '../../catalog/lock/lock-types.ts';
import { lockOf } from '../../catalog/lock/locked-server.ts';
import { defineTool, localServer } from '../../index.ts';
import { postgresStore } from '../../store/postgres/postgres-store.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { AcceptedChanges } from './accepted-changes.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** A lock of one server whose tool says this. */
function saying(description: string): Lock {
  const tool = defineTool({ name: 'tool', description, input: { type: 'object' }, effect: 'read', run: () => 1 });
  return lockOf([localServer({ name: 'shop', tools: [tool] })]);
}

const said = (lock: Lock | undefined): string | undefined => lock?.servers.get('shop')?.tools.get('tool')?.description;

async function machines(t: TestContext, schema: string): Promise<[AcceptedChanges, AcceptedChanges]> {
  const stores = await Promise.all([1, 2].map(() => postgresStore({ address: cluster.address(schema) })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores.map((store) => new AcceptedChanges(store)) as [AcceptedChanges, AcceptedChanges];
}

describe('what was accepted on one machine', () => {
  test('holds on another whose file is older, also after more was accepted, until that file is changed', async (t) => {
    const [one, other] = await machines(t, 'chain');
    const [first, second, third] = [saying('first'), saying('second'), saying('third')];
    const told = new Promise<void>((resolve) => other.listen(resolve));
    await one.accept('shop', first, second.servers.get('shop'));
    await within(told, 'the other is told');
    await other.load();
    assert.deepEqual([said(one.over(first)), said(other.over(first))], ['second', 'second']);
    // The file of the one machine could be written, that of the other could not.
    await one.accept('shop', second, third.servers.get('shop'));
    await other.load();
    assert.deepEqual(
      [first, second, third].map((file) => said(other.over(file))),
      ['third', 'third', 'third'],
    );
    const released = saying('released');
    assert.equal(said(other.over(released)), 'released');
    assert.equal(other.over(undefined), undefined, 'a server that was never locked there is not locked by it');
  });

  test('can be that a server is not locked any more, or is from now on', async (t) => {
    const [one, other] = await machines(t, 'out');
    const file = saying('first');
    await one.accept('shop', file, undefined);
    await other.load();
    assert.equal(other.over(file)?.servers.size, 0);
    await other.accept('shop', undefined, file.servers.get('shop'));
    assert.equal(said(other.over(undefined)), 'first');
  });

  test('needs no file that can be written, unless the file is all there is', async (t) => {
    const [shared] = await machines(t, 'unwritable');
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const nowhere = join(directory, 'none');
    shared.writeFile(nowhere, saying('x'));
    const own = sqliteStore();
    t.after(() => own.close());
    const alone = new AcceptedChanges(own);
    assert.throws(() => alone.writeFile(nowhere, saying('x')), /cannot write/);
    alone.writeFile(directory, saying('x'));
    assert.ok(existsSync(join(directory, 'signalbox.lock')));
  });
});
