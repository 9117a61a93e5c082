import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, after, describe, test } from 'node:test';
import pg, { type Client } from 'pg';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import { approvalStoreConformance } from '../../journal/store/approval-store.conformance.ts';
import { jobStoreConformance } from '../../journal/store/job-store.conformance.ts';
import { keyValueStoreConformance } from '../../journal/store/key-value-store.conformance.ts';
import { pubSubConformance } from '../../journal/store/pub-sub.conformance.ts';
import { sessionStoreConformance } from '../../journal/store/session-store.conformance.ts';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Store } from '../../journal/store/store.ts';
import { type StoreFixture, draft, storeConformance } from '../../journal/store/store.conformance.ts';
import { accessTokenStoreConformance } from '../../journal/store/access-token-store.conformance.ts';
import { SignalboxError } from '../../core/errors.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { startPostgres } from '../../../test/support/postgres/postgres.ts';
import { postgresStore } from './postgres-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());
let schemas = 0;

/** Returns the address of a new schema. */
const inSchema = async (): Promise<StoreFixture> => {
  const address = cluster.address(`store_${(schemas += 1)}`);
  return { open: () => postgresStore({ address }), dispose: async () => undefined };
};
for (const suite of [
  storeConformance,
  approvalStoreConformance,
  sessionStoreConformance,
  accessTokenStoreConformance,
  jobStoreConformance,
  pubSubConformance,
  keyValueStoreConformance,
])
  suite('PostgreSQL', true, inSchema);

describe('postgresStore', () => {
  /** A new schema, its store, and a direct connection to its tables. */
  async function createSchema(t: TestContext): Promise<{ address: string; open(): Promise<Store>; sql: Client }> {
    const schema = `own_${(schemas += 1)}`;
    const address = cluster.address(schema);
    const url = new URL(address);
    url.search = `?options=-c search_path=${schema}`;
    const sql = new pg.Client({ connectionString: url.href });
    await sql.connect();
    const stores: Store[] = [];
    t.after(async () => {
      await Promise.all([sql.end(), ...stores.map((store) => store.close())]);
    });
    return {
      address,
      sql,
      async open() {
        const store = await postgresStore({ address });
        stores.push(store);
        return store;
      },
    };
  }

  test('creates the tables once when several processes open an empty database', async (t) => {
    const { open, sql } = await createSchema(t);
    const stores = await Promise.all(Array.from({ length: 4 }, open));
    for (const store of stores) await store.append([draft()]);
    const { rows } = await sql.query('SELECT version FROM schema_version');
    assert.equal(rows.length, 1);
  });

  test('rejects a database of a newer version with `store-newer`, and changes nothing', async (t) => {
    const { open, sql } = await createSchema(t);
    await (await open()).append([draft()]);
    await sql.query('UPDATE schema_version SET version = 99');
    await assert.rejects(open(), (error) => error instanceof SignalboxError && error.code === 'store-newer');
    assert.deepEqual((await sql.query('SELECT version FROM schema_version')).rows, [{ version: 99 }]);
  });

  test('concurrent writers share one chain without gaps', async (t) => {
    const { open } = await createSchema(t);
    const stores = await Promise.all([open(), open(), open()]);
    const written = await Promise.all(
      stores.map(async (store, writer) => {
        const own: (number | undefined)[] = [];
        for (let round = 0; round < 40; round += 1) {
          const more = round % 4 === 0 ? { recording: '{}' } : {};
          const batch = Array.from({ length: 1 + (round % 3) }, (_, index) =>
            draft({ call: `${writer}_${round}_${index}`, ...more }),
          );
          own.push(...(await store.append(batch)).map((entry) => entry?.seq));
        }
        assert.deepEqual(
          own,
          own.toSorted((one, other) => (one ?? 0) - (other ?? 0)),
        );
        return own;
      }),
    );
    const all = written.flat().toSorted((one, other) => (one ?? 0) - (other ?? 0));
    assert.deepEqual(
      all,
      all.map((_, index) => index + 1),
    );
    const [store] = stores;
    assert.ok(store !== undefined);
    const verified = await verifyChain(store);
    assert.deepEqual([verified.ok, verified.entries], [true, all.length]);
    const writers = new Set((await store.entries({ order: 'oldest-first', limit: 999 })).map(({ writer }) => writer));
    assert.equal(writers.size, 3);
  });

  const tampering = {
    'a changed body': ['UPDATE journal SET body = \'{"amount":9}\' WHERE seq = 3', 3],
    'a changed time': ['UPDATE journal SET at = at + 1 WHERE seq = 2', 2],
    'another writer': ['UPDATE journal SET writer = (SELECT writer FROM journal WHERE seq = 1) WHERE seq = 2', 2],
    'a removed entry': ['DELETE FROM journal WHERE seq = 4', 5],
    'a cut-off end': ['DELETE FROM journal WHERE seq >= 5', 5],
    'swapped entries': [
      'UPDATE journal SET seq = -seq; UPDATE journal SET seq = CASE -seq WHEN 2 THEN 3 WHEN 3 THEN 2 ELSE -seq END',
      2,
    ],
  } as const;
  for (const [what, [statement, seq]] of Object.entries(tampering))
    test(`verifyChain detects ${what} among the entries of several writers`, async (t) => {
      const { open, sql } = await createSchema(t);
      const [one, two] = await Promise.all([open(), open()]);
      for (let round = 1; round <= 3; round += 1)
        for (const store of [one, two]) await store.append([draft({ body: `{"amount":${round}}` })]);
      assert.equal((await verifyChain(two)).ok, true);
      await sql.query(statement);
      const found = await verifyChain(two);
      assert.deepEqual([found.ok, !found.ok && found.seq], [false, seq]);
    });

  test('gives a key, a question, an answer or an approval to one of several concurrent processes', async (t) => {
    const { open } = await createSchema(t);
    const stores = await Promise.all([open(), open(), open()]);
    const winners = async (make: (writer: number) => Partial<EntryDraft>): Promise<number> => {
      const written = await Promise.all(stores.map(async (store, writer) => store.append([draft(make(writer))])));
      return written.flat().filter((entry) => entry !== undefined).length;
    };
    for (let round = 0; round < 25; round += 1) {
      const record = (writer: number): ApprovalRecord => ({
        id: `appr_${round}_${writer}`,
        binding: `b${round}`,
        subject: 's',
        principal: 'p',
        server: 'a',
        requestedAt: 1,
        expiresAt: 9,
        asked: '{}',
        answer: '',
        given: '',
        closed: false,
        usedBy: '',
      });
      assert.equal(await winners(() => ({ claim: { key: `k${round}`, fingerprint: 'f' } })), 1, 'key');
      assert.equal(await winners((writer) => ({ approval: { kind: 'ask', record: record(writer) } })), 1, 'question');
      const [asked] = (await stores[0]?.approvals({ binding: `b${round}`, limit: 1 })) ?? [];
      assert.ok(asked !== undefined);
      const { id } = asked;
      const answer = { kind: 'answer', id, at: 2, answer: 'approved', given: '{}' } as const;
      assert.equal(await winners(() => ({ approval: answer })), 1, 'answer');
      assert.equal(await winners((writer) => ({ call: `c${writer}`, approval: { kind: 'use', id, at: 3 } })), 1, 'use');
    }
    assert.equal((await verifyChain(await open())).ok, true);
  });

  test('reports the open calls of a killed process as orphans, to one process only, and not those of a live process', async (t) => {
    const { address, open } = await createSchema(t);
    const script = `
      const { postgresStore } = await import(${JSON.stringify(new URL('./postgres-store.ts', import.meta.url).href)});
      const store = await postgresStore({ address: process.env.ADDRESS });
      await store.append([{ type: 'CallStarted', at: 1, call: 'theirs', session: '', tool: 't', outcome: '', body: '{}' }]);
      console.log('written');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ADDRESS: address },
    });
    await once(child.stdout, 'data');
    const [one, two] = await Promise.all([open(), open()]);
    assert.deepEqual(await one.orphans(), []);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // Waits until the server has detected the lost connection.
    const found: StoredEntry[] = [];
    await until(async () => {
      for (const taken of await Promise.all([one.orphans(), two.orphans()])) found.push(...taken);
      return found.length > 0;
    }, 'the call is an orphan');
    assert.deepEqual(
      found.map(({ call }) => call),
      ['theirs'],
    );
    const repeated = [...(await one.orphans()), ...(await two.orphans())];
    assert.deepEqual(repeated, found, 'the process that took it over gets it until it has an outcome');
    await one.append([draft({ call: 'theirs' })]);
    assert.deepEqual([await one.orphans(), await two.orphans()], [[], []]);
  });

  test('gives a turn, or the last job within the limit, to one of several concurrent processes', async (t) => {
    const { open } = await createSchema(t);
    const stores = await Promise.all([open(), open(), open()]);
    const by = { id: 'ann', kind: 'human' } as const;
    const [first] = stores;
    assert.ok(first !== undefined);
    for (let round = 0; round < 15; round += 1) {
      const session = `s${round}`;
      await first.sessions.create({
        id: session,
        agent: '',
        runtime: '',
        model: '',
        title: '',
        cwd: '/',
        permissionMode: 'default',
        owner: by,
        createdAt: 1,
        activeAt: 1,
        forkedFrom: '',
        lastTurn: '',
      });
      const queued = await Promise.all(
        stores.map(({ sessions }, writer) =>
          sessions.queue({ id: `t${writer}`, session, content: '', by, at: 1, title: '', maxWaiting: 2 }),
        ),
      );
      assert.deepEqual(new Set(queued.map((turn) => turn?.position)), new Set([0, 1, undefined]));
      const claimed = await Promise.all(stores.map(({ sessions }) => sessions.claim(session)));
      assert.equal(claimed.filter((turn) => turn !== undefined).length, 1);
      const job = {
        owner: '{}',
        ownerId: 'ann',
        text: '{}',
        createdAt: 1,
        nextAt: 2,
        lastAt: 0,
        lastSession: '',
        lastError: '',
      };
      const added = await Promise.all(
        stores.map(({ jobs }, writer) => jobs.add({ id: `j${round}_${writer}`, ...job }, round + 1)),
      );
      assert.equal(added.filter(Boolean).length, 1);
    }
  });

  test('stores U+FFFD in place of NUL, and finds such entries', async (t) => {
    const { open } = await createSchema(t);
    const store = await open();
    const [entry] = await store.append([draft({ tool: 'a\0b', call: 'c\ud800' })]);
    assert.equal(entry?.tool, 'a\uFFFDb');
    assert.equal((await store.entries({ order: 'oldest-first', limit: 1, tool: 'a\0b' })).length, 1);
    assert.equal((await verifyChain(store)).ok, true);
  });

  test('writes nothing of a batch with an invalid entry', async (t) => {
    const { open } = await createSchema(t);
    const store = await open();
    const broken = { ...draft({ call: 'b' }), at: 'not a number' as unknown as number };
    const claim = { key: 'k', fingerprint: 'f' };
    await assert.rejects(async () => store.append([draft({ call: 'a' }), broken]));
    await assert.rejects(async () => store.append([draft({ call: 'a', claim }), broken]));
    assert.equal(await store.claim('k'), undefined);
    assert.equal((await store.append([draft({ call: 'd' })]))[0]?.seq, 1);
  });
});
