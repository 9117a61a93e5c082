import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, after, describe, test } from 'node:test';
import { startPostgres } from '../../../test/support/postgres/postgres.ts';
import { within } from '../../../test/support/within.ts';
import type { Lock } from '../../catalog/lock/lock-types.ts';
import { lockOf } from '../../catalog/lock/locked-server.ts';
import { defineTool, localServer } from '../../index.ts';
import { postgresStore } from '../../store/postgres/postgres-store.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { AcceptedChanges } from './accepted-changes.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Returns a lock of one server whose tool has this description. */
function lockWith(description: string): Lock {
  const tool = defineTool({ name: 'tool', description, input: { type: 'object' }, effect: 'read', run: () => 1 });
  return lockOf([localServer({ name: 'shop', tools: [tool] })]);
}

const descriptionIn = (lock: Lock | undefined): string | undefined =>
  lock?.servers.get('shop')?.tools.get('tool')?.description;

async function machines(t: TestContext, schema: string): Promise<[AcceptedChanges, AcceptedChanges]> {
  const stores = await Promise.all([1, 2].map(() => postgresStore({ address: cluster.address(schema) })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores.map((store) => new AcceptedChanges(store)) as [AcceptedChanges, AcceptedChanges];
}

describe('AcceptedChanges', () => {
  test('apply on another machine with an older file, also after further changes, until that file is changed', async (t) => {
    const [one, other] = await machines(t, 'chain');
    const [first, second, third] = [lockWith('first'), lockWith('second'), lockWith('third')];
    const notified = new Promise<void>((resolve) => other.listen(resolve));
    await one.accept('shop', first, second.servers.get('shop'));
    await within(notified, 'the other machine is notified');
    await other.load();
    assert.deepEqual([descriptionIn(one.over(first)), descriptionIn(other.over(first))], ['second', 'second']);
    // The file of the one machine could be written, that of the other could not.
    await one.accept('shop', second, third.servers.get('shop'));
    await other.load();
    assert.deepEqual(
      [first, second, third].map((file) => descriptionIn(other.over(file))),
      ['third', 'third', 'third'],
    );
    const released = lockWith('released');
    assert.equal(descriptionIn(other.over(released)), 'released');
    assert.equal(other.over(undefined), undefined, 'locked a server that was never locked there');
  });

  test('can remove a server from the lock, or add one', async (t) => {
    const [one, other] = await machines(t, 'out');
    const file = lockWith('first');
    await one.accept('shop', file, undefined);
    await other.load();
    assert.equal(other.over(file)?.servers.size, 0);
    await other.accept('shop', undefined, file.servers.get('shop'));
    assert.equal(descriptionIn(other.over(undefined)), 'first');
  });

  test('ignore an unwritable lock file, unless the store is not shared', async (t) => {
    const [shared] = await machines(t, 'unwritable');
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const missing = join(directory, 'none');
    shared.writeFile(missing, lockWith('x'));
    const own = sqliteStore();
    t.after(() => own.close());
    const alone = new AcceptedChanges(own);
    assert.throws(() => alone.writeFile(missing, lockWith('x')), /cannot write/);
    alone.writeFile(directory, lockWith('x'));
    assert.ok(existsSync(join(directory, 'signalbox.lock')));
  });
});
