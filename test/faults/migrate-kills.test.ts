import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresStore, sqliteStore } from '../../src/index.ts';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import { CliProject, waitForExit } from '../e2e/cli-project.ts';
import { fillStore } from '../support/journal/filled-store.ts';
import { isFull } from '../support/faults.ts';
import { password, startPostgres } from '../support/postgres/postgres.ts';
import { runSeed, seeded } from '../support/seeded.ts';

const cluster = await startPostgres();
after(() => cluster.end());

suite('signalbox migrate', () => {
  test(`continues after each kill, and ends with identical stores (seed ${runSeed})`, async (t) => {
    const random = seeded(runSeed);
    const project = new CliProject();
    const file = join(project.data, 'signalbox.db');
    const source = sqliteStore({ file });
    await fillStore(source, { calls: isFull() ? 200_000 : 15_000 });
    await source.close();
    const address = cluster.address('killed');
    const environment = { SIGNALBOX_TEST_PASSWORD: password };
    const url = new URL(address);
    url.password = '';
    const to = url.href.replace('postgres@', 'postgres:${env:SIGNALBOX_TEST_PASSWORD}@');
    const migrate = ['migrate', '--from', 'sqlite', '--to', to];
    let killed = 0;
    for (let round = 0; round < (isFull() ? 20 : 5); round += 1) {
      const child = project.start([...migrate, '--json'], environment);
      const ended = waitForExit(child);
      await Promise.race([wait(400 + random() * (isFull() ? 8000 : 1500)), ended]);
      if (child.kill('SIGKILL')) killed += 1;
      await ended;
    }
    t.diagnostic(`killed ${killed} times`);
    assert.ok(killed > 0);
    const { code, stdout, stderr } = await project.run(migrate, { environment });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^ok copied all records to postgres:\/\/postgres@127\S+; both sides are identical\n/);
    assert.ok(stdout.includes('"store": "postgres://postgres:${env:SIGNALBOX_TEST_PASSWORD}@'), stdout);
    assert.doesNotMatch(stdout + stderr, /hunter2/);

    const [from, into] = [sqliteStore({ file }), await postgresStore({ address })];
    t.after(() => Promise.all([from.close(), into.close()]));
    const verified = await verifyChain(into);
    assert.deepEqual(verified, await verifyChain(from));
    assert.equal((await into.sessions.events('s1', 0, 10_000)).length, 2500);
    assert.equal((await into.approvals({ limit: 10 })).length, 3);
  });

  test('names the obstacle, and never a password', async () => {
    const project = new CliProject();
    const to = cluster.address('refused');
    const nothing = await project.run(['migrate', '--to', to]);
    assert.deepEqual([nothing.code, /there is no journal at/.test(nothing.stderr)], [1, true], nothing.stderr);
    const wrong = await project.run(['migrate', '--to', 'mysql://u:hunter2@h/d']);
    assert.deepEqual([wrong.code, /expected a "postgres:\/\/…" address/.test(wrong.stderr)], [2, true], wrong.stderr);
    await sqliteStore({ file: join(project.data, 'signalbox.db') }).close();
    const store = await postgresStore({ address: to });
    const used = await project.run(['migrate', '--to', to]);
    assert.deepEqual(
      [used.code, /is in use; stop the processes that use it/.test(used.stderr)],
      [1, true],
      used.stderr,
    );
    await store.close();
    const done = await project.run(['migrate', '--to', to]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /"store": "postgres:\/\/postgres:\$\{secret:DB_PASSWORD\}@/);
    for (const { stdout, stderr } of [nothing, wrong, used, done]) assert.doesNotMatch(stdout + stderr, /hunter2/);
  });
});
