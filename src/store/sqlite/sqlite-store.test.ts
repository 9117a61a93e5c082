import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { approvalStoreConformance } from '../../journal/store/approval-store.conformance.ts';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { keyValueStoreConformance } from '../../journal/store/key-value-store.conformance.ts';
import { pubSubConformance } from '../../journal/store/pub-sub.conformance.ts';
import { sessionStoreConformance } from '../../journal/store/session-store.conformance.ts';
import { jobStoreConformance } from '../../journal/store/job-store.conformance.ts';
import { type StoreFixture, draft, storeConformance } from '../../journal/store/store.conformance.ts';
import { accessTokenStoreConformance } from '../../journal/store/access-token-store.conformance.ts';
import { SignalboxError } from '../../core/errors.ts';
import { sqliteStore } from './sqlite-store.ts';

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'signalbox-store-'));
}

const inFile = async (): Promise<StoreFixture> => {
  const directory = temporary();
  return {
    open: async () => sqliteStore({ file: join(directory, 'a', 'signalbox.db') }),
    dispose: async () => rmSync(directory, { recursive: true }),
  };
};
const inMemory = async (): Promise<StoreFixture> => ({
  open: async () => sqliteStore(),
  dispose: async () => undefined,
});
const suites = [
  storeConformance,
  approvalStoreConformance,
  sessionStoreConformance,
  accessTokenStoreConformance,
  jobStoreConformance,
  pubSubConformance,
  keyValueStoreConformance,
];
for (const suite of suites) {
  suite('SQLite file', true, inFile);
  suite('SQLite memory', false, inMemory);
}

describe('sqliteStore', () => {
  test('two stores on one file share one chain in any order of commits', async (t) => {
    const directory = temporary();
    const file = join(directory, 'signalbox.db');
    const [one, two] = [sqliteStore({ file }), sqliteStore({ file })];
    t.after(async () => {
      await Promise.all([one.close(), two.close()]);
      rmSync(directory, { recursive: true });
    });
    for (let round = 0; round < 50; round++) {
      await (round % 3 === 0 ? one : two).append([draft({ call: `a${round}` })]);
      await (round % 2 === 0 ? two : one).append([draft({ call: `b${round}` }), draft({ call: `c${round}` })]);
    }
    const verification = await verifyChain(one);
    assert.equal(verification.ok, true);
    assert.equal(verification.entries, 150);
    assert.equal((await two.entries({ order: 'oldest-first', limit: 500, tool: 'mcp__a__b' })).length, 150);
  });

  test('reports the open calls of a killed process as orphans, and not those of a live process', async (t) => {
    const directory = temporary();
    const file = join(directory, 'signalbox.db');
    t.after(() => rmSync(directory, { recursive: true }));
    const script = `
      const { sqliteStore } = await import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)});
      const store = sqliteStore({ file: ${JSON.stringify(file)} });
      await store.append([{ type: 'CallStarted', at: 1, call: 'theirs', session: '', tool: 't', outcome: '', body: '{}' }]);
      console.log('written');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const store = sqliteStore({ file });
    assert.deepEqual(await store.orphans(), []);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual(
      (await store.orphans()).map((entry) => entry.call),
      ['theirs'],
    );
    await store.close();
  });

  test('a failed append writes nothing of its batch and leaves the chain usable', async () => {
    const store = sqliteStore();
    await store.append([draft({ call: 'a' })]);
    const broken = { ...draft({ call: 'b' }), at: 'not a number' as unknown as number };
    await assert.rejects(async () => store.append([draft({ call: 'c' }), broken]));
    await store.append([draft({ call: 'd' })]);
    const calls = (await store.entries({ order: 'oldest-first', limit: 9 })).map((entry) => entry.call);
    assert.deepEqual(calls, ['a', 'd']);
    assert.equal((await verifyChain(store)).ok, true);
    await store.close();
  });

  test('rejects a journal of a newer version with `store-newer`', (t) => {
    const directory = temporary();
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'signalbox.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    assert.throws(
      () => sqliteStore({ file }),
      (error) => error instanceof SignalboxError && error.code === 'store-newer' && error.message.includes('schema 99'),
    );
  });

  test('names a path that cannot be opened in the error', () => {
    const file = join('/dev/null', 'signalbox.db');
    assert.throws(
      () => sqliteStore({ file }),
      (error) => error instanceof SignalboxError && error.code === 'store-unavailable' && error.message.includes(file),
    );
  });

  test('a text search yields to the event loop after every few megabytes, and stops when it is aborted', async (t) => {
    const store = sqliteStore();
    t.after(() => store.close());
    const body = JSON.stringify({ arguments: { text: 'a'.repeat(1024 * 1024) } });
    for (let index = 0; index < 20; index += 1) await store.append([draft({ call: `${index}`, body })]);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    // The text could begin at every position of the entries.
    const query = { order: 'newest-first', limit: 10, text: `${'a'.repeat(199)}b` } as const;
    assert.deepEqual(await Promise.all([store.entries(query), store.entries(query)]), [[], []]);
    clearImmediate(turning);
    assert.ok(turns >= 35, `only ${turns} turns for two searches with 20 ranges each`);
    const abort = new AbortController();
    const rejected = assert.rejects(store.entries({ ...query, signal: abort.signal }), { name: 'AbortError' });
    abort.abort();
    await rejected;
  });

  test('queries by session, tool, call and outcome use an index', async (t) => {
    const directory = temporary();
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'signalbox.db');
    await sqliteStore({ file }).close();
    const { entryQuery } = await import('./journal/entry-query.ts');
    const database = new DatabaseSync(file);
    for (const query of [{ session: 's' }, { tool: 't' }, { call: 'c' }, { outcome: 'failed' as const }]) {
      const { sql, values } = entryQuery({ order: 'newest-first', limit: 10, ...query });
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map((row) => String(row['detail']))
        .join('; ');
      assert.match(plan, new RegExp(`USING (COVERING )?INDEX entries_${Object.keys(query)[0]}`), plan);
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    }
    database.close();
  });

  test('creates files that only their owner can read, also in a directory that others can read', async (t) => {
    const directory = temporary();
    t.after(() => rmSync(directory, { recursive: true }));
    chmodSync(directory, 0o755);
    const store = sqliteStore({ file: join(directory, 'signalbox.db') });
    t.after(() => store.close());
    await store.append([draft()]);
    const readable = readdirSync(directory).filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0);
    assert.deepEqual(readable, []);
    assert.ok(readdirSync(directory).includes('signalbox.db-wal'));
  });
});
