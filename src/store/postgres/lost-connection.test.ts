import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { type TestContext, after, describe, test } from 'node:test';
import pg from 'pg';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { draft } from '../../journal/store/store.conformance.ts';
import type { Store } from '../../journal/store/store.ts';
import { SignalboxError } from '../../core/errors.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { password, startPostgres } from '../../../test/support/postgres/postgres.ts';
import { within } from '../../../test/support/within.ts';
import { parseAddress } from './address.ts';
import { postgresStore } from './postgres-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Asserts a `store-unavailable` error without the password in any form. */
function isStoreError(error: unknown, what: RegExp): true {
  assert.ok(error instanceof SignalboxError, String(error));
  assert.equal(error.code, 'store-unavailable');
  assert.match(error.message, what);
  const all = JSON.stringify([error.message, error.stack, String(error.cause)]);
  assert.ok(!all.includes('hunter2'), all);
  return true;
}

describe('a PostgreSQL store during an outage', () => {
  test('rejects reads and writes with a clear error, and works again afterward without losing acknowledged entries', async (t) => {
    const store = await postgresStore({ address: cluster.address('away') });
    const other = await postgresStore({ address: cluster.address('away') });
    t.after(() => Promise.all([store.close(), other.close()]));
    const acknowledged: string[] = [];
    let count = 0;
    const stop = new AbortController();
    const append = async (): Promise<void> => {
      const call = `call_${(count += 1)}`;
      await store.append([draft({ call, type: 'CallStarted', outcome: '' })]);
      acknowledged.push(call);
    };
    const load = (async () => {
      while (!stop.signal.aborted) await append().catch(() => new Promise((resolve) => setTimeout(resolve, 5)));
    })();
    await until(() => acknowledged.length > 20, 'entries are written');
    await cluster.stop();
    await assert.rejects(
      async () => store.append([draft()]),
      (error) => isStoreError(error, /at postgres:\/\/postgres@127/),
    );
    await assert.rejects(store.approvals({ limit: 1 }), (error) => isStoreError(error, /check that it runs/));
    const before = acknowledged.length;
    await cluster.start();
    await until(() => acknowledged.length > before + 20, 'entries are written again');
    stop.abort();
    await load;
    const stored = new Set((await store.entries({ order: 'oldest-first', limit: 99_999 })).map(({ call }) => call));
    assert.deepEqual(
      acknowledged.filter((call) => !stored.has(call)),
      [],
    );
    assert.equal((await verifyChain(store)).ok, true);
    assert.deepEqual(await other.orphans(), [], 'a process that outlives the server does not count as dead');
  });

  test('notifies subscribers of a possible gap, and delivers messages again', async (t) => {
    const store = await postgresStore({ address: cluster.address('gap') });
    t.after(() => store.close());
    const gap = new Promise<void>((resolve) => store.pubSub.onGap(resolve));
    const received: string[] = [];
    store.pubSub.subscribe('t', (text) => received.push(text));
    await cluster.stop();
    await assert.rejects(store.pubSub.publish('t', 'lost'), (error) => isStoreError(error, /PostgreSQL/));
    await cluster.start();
    await within(gap, 'the notification of the gap');
    await store.pubSub.publish('t', 'back');
    await until(() => received.length > 0, 'a message is received');
    assert.deepEqual(received, ['back']);
  });

  test('reconnects after the server ended its connections, including the one with the presence lock', async (t) => {
    const address = cluster.address('ended');
    const [store, other] = await Promise.all([postgresStore({ address }), postgresStore({ address })]);
    t.after(() => Promise.all([store.close(), other.close()]));
    await store.append([draft({ type: 'CallStarted', outcome: '' })]);
    const client = new pg.Client({ connectionString: address.replace(/\?.*/, '') });
    await client.connect();
    const living = async (): Promise<number> => {
      const { rows } = await client.query<{ count: string }>(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'",
      );
      return Number(rows[0]?.count);
    };
    await until(async () => (await living()) === 2, 'both are alive');
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signalbox' AND pid <> pg_backend_pid()",
    );
    await until(async () => (await living()) === 2, 'both are alive after the reconnect');
    await client.end();
    assert.deepEqual(await other.orphans(), []);
    await until(() => works(store), 'the store works again');
  });
});

describe('a PostgreSQL store with failing connections', () => {
  test('detects a silently broken connection and reconnects', async (t) => {
    const address = new URL(cluster.address('mute'));
    const proxy = await muteableProxy(t, Number(address.port));
    const other = await postgresStore({ address: address.href });
    address.port = String(proxy.port);
    const store = await postgresStore({ address: address.href });
    t.after(() => Promise.all([store.close(), other.close()]));
    const gap = new Promise<void>((resolve) => store.pubSub.onGap(resolve));
    const received: string[] = [];
    store.pubSub.subscribe('t', (text) => received.push(text));
    proxy.mute();
    await within(gap, 'the notification of the gap', undefined, 20_000);
    await other.pubSub.publish('t', 'back');
    await until(() => received.length > 0, 'a message is received');
    assert.deepEqual(received, ['back']);
  });

  test('survives a connection that the server ends while the pool hands it on', async (t) => {
    const address = new URL(cluster.address('goodbye'));
    const { port, endConnections } = await terminatingProxy(t, Number(address.port));
    address.port = String(port);
    const store = await postgresStore({ address: address.href });
    t.after(() => store.close());
    endConnections(true);
    // More requests than connections: a waiting request gets a connection that the server has ended after the previous response.
    const requests = await Promise.allSettled(Array.from({ length: 200 }, () => store.claim('x')));
    assert.ok(
      requests.some(({ status }) => status === 'rejected'),
      'some requests failed',
    );
    endConnections(false);
    await until(() => works(store), 'the store works again');
  });

  test('an abandoned append is written before the next one or never', async (t) => {
    const address = cluster.address('late');
    const store = await postgresStore({ address });
    t.after(() => store.close());
    const client = new pg.Client({ connectionString: address.replace(/\?.*/, '') });
    await client.connect();
    t.after(() => client.end());
    await client.query('SET search_path = late');
    const intent = (call: string) => draft({ call, type: 'CallStarted', outcome: '' });
    // Ends the connection while the append waits for the head of the chain, as if the process had timed out.
    await client.query('BEGIN; SELECT FROM head FOR UPDATE');
    const abandoned = assert.rejects(async () => store.append([intent('abandoned')]));
    const backend = 'SELECT pid FROM pg_stat_activity WHERE wait_event_type = $1 AND query LIKE $2';
    let pid: number | undefined;
    await until(async () => {
      await client.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await client.query<{ pid: number }>(backend, ['Lock', '%append_entries%']);
      return (pid = rows[0]?.pid) !== undefined;
    }, 'the append waits');
    await client.query('SELECT pg_terminate_backend($1)', [pid]);
    await abandoned;
    await client.query('COMMIT');
    assert.deepEqual(await store.openCalls(), []);
    // An earlier statement of the process that the server executes only now.
    const { rows } = await client.query<{ name: string }>('SELECT name FROM writers');
    const late = `SELECT append_entries('${rows[0]?.name}', 0, '{1}', '{CallStarted}', '{late}', '{""}', '{t}', '{""}', '{"{}"}', '{""}', '{""}', '{""}', '{1}')`;
    await assert.rejects(client.query(late), /an append came too late/);
    await store.append([intent('next')]);
    assert.deepEqual(
      (await store.openCalls()).map(({ call }) => call),
      ['next'],
    );
    assert.equal((await verifyChain(store)).ok, true);
  });

  test('earlier writers have a grace period to reconnect after a restart of the server', async (t) => {
    const address = cluster.address('restarted');
    const store = await postgresStore({ address });
    t.after(() => store.close());
    await store.append([draft({ call: 'away' }), draft({ call: 'dead' })]);
    await cluster.stop();
    await cluster.start();
    const client = new pg.Client({ connectionString: address.replace(/\?.*/, '') });
    await client.connect();
    await client.query(`SET search_path = restarted;
    INSERT INTO writers (name, server_started) VALUES ('away', '2020-01-01'), ('dead', pg_postmaster_start_time());
    INSERT INTO open_calls VALUES ('away', 1, 'away'), ('dead', 2, 'dead'); UPDATE journal SET writer = call`);
    await client.end();
    assert.deepEqual(
      (await store.orphans()).map(({ call }) => call),
      ['dead'],
    );
  });

  test('keeps acknowledged entries when the server crashes', async (t) => {
    const store = await postgresStore({ address: cluster.address('crashed') });
    t.after(() => store.close());
    for (let round = 0; round < 10; round += 1) {
      await store.append([draft({ call: `plain_${round}` })]);
      await store.append([draft({ call: `more_${round}`, claim: { key: `k${round}`, fingerprint: 'f' } })]);
    }
    await cluster.crash();
    await cluster.start();
    await until(() => works(store), 'the store works again');
    assert.equal((await store.entries({ order: 'oldest-first', limit: 99 })).length, 20);
    assert.equal((await store.claim('k9'))?.call, 'more_9');
    assert.equal((await verifyChain(store)).ok, true);
  });
});

describe('an address of a PostgreSQL store', () => {
  test('is rejected with the reason when it cannot be used, never with its password', async () => {
    const url = new URL(cluster.address('x'));
    const wrong = (change: (copy: URL) => void): string => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const cases: [string, RegExp][] = [
      ['postgres://user:hunter2@ho st/db', /cannot be read; write it as postgres:\/\/user:password@host/],
      ['mysql://user:hunter2@host/db', /cannot be read/],
      [wrong((copy) => copy.searchParams.set('schema', 'x; DROP')), /names a schema/],
      [
        wrong((copy) => copy.searchParams.set('connections', '0')),
        /has a "connections" value that is not a number from 1 to 100/,
      ],
      [wrong((copy) => (copy.password = 'hunter2-wrong')), /rejected the login .*check user and password/],
      [wrong((copy) => (copy.pathname = '/absent')), /has no such database .*createdb/],
      [wrong((copy) => (copy.port = '1')), /does not respond .*ECONNREFUSED.*; check that it runs and can be reached/],
    ];
    for (const [address, what] of cases)
      await assert.rejects(postgresStore({ address }), (error) => isStoreError(error, what), what.source);
  });

  test('sets the size of the connection pool', async () => {
    const address = `${cluster.address('few')}&connections=2`;
    const store = await postgresStore({ address });
    const counted = new pg.Client({ connectionString: cluster.address('few').replace(/\?.*/, '') });
    await counted.connect();
    try {
      await Promise.all(Array.from({ length: 40 }, () => store.entries({ order: 'oldest-first', limit: 1 })));
      const { rows } = await counted.query<{ count: string }>(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'signalbox'",
      );
      // Two for statements; the others hold the presence lock.
      assert.ok(Number(rows[0]?.count) <= 4, rows[0]?.count);
    } finally {
      await counted.end();
      await store.close();
    }
  });

  test('is displayed without password and settings', () => {
    const {
      location,
      password: read,
      schema,
    } = parseAddress(`${cluster.address('mine')}&sslmode=disable&password=other`);
    assert.match(location, /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres\?schema=mine$/);
    assert.deepEqual([read, schema], [password, 'mine']);
    assert.equal(parseAddress('postgresql://h/d?password=hunter2#x').location, 'postgresql://h/d');
  });

  test('is rejected with installation instructions when the package `pg` is missing', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) { return next(name === 'pg' ? 'a-package-that-is-not-there' : name, context); } });
      const { postgresStore } = await import(${JSON.stringify(new URL('./postgres-store.ts', import.meta.url).href)});
      await postgresStore({ address: 'postgres://h/d' }).catch((error) => console.log(error.code, error.message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += String(text)));
    await once(child, 'close');
    assert.equal(output, 'store-unavailable a PostgreSQL store needs the package pg; run: npm install pg\n');
  });
});

/** A proxy on which the server closes each connection in the same packet as its last response. */
async function terminatingProxy(
  t: TestContext,
  to: number,
): Promise<{ readonly port: number; endConnections(isOn: boolean): void }> {
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
  const message = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from([0x45, 0, 0, 0, message.length + 4]);
  let isOn = false;
  const { port } = await proxyTo(t, to, (client, server) => {
    client.pipe(server);
    server.on('data', (chunk) => {
      const isLast = isOn && chunk.subarray(-ready.length).equals(ready);
      client.write(isLast ? Buffer.concat([chunk, head, message]) : chunk);
    });
    server.on('close', () => client.destroy());
  });
  return { port, endConnections: (on) => (isOn = on) };
}

/** A proxy that, when muted, leaves existing connections open without traffic. Later connections work. */
async function muteableProxy(t: TestContext, to: number): Promise<{ readonly port: number; mute(): void }> {
  const { port, ends } = await proxyTo(t, to, (client, server) => client.pipe(server).pipe(client));
  return {
    port,
    mute() {
      for (const end of ends) end.unpipe().pause();
    },
  };
}

/** A proxy to a local port, whose two ends are connected by `join`. */
async function proxyTo(
  t: TestContext,
  to: number,
  join: (client: Socket, server: Socket) => void,
): Promise<{ readonly port: number; readonly ends: readonly Socket[] }> {
  const ends: Socket[] = [];
  const proxy = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    join(client, server);
    ends.push(
      client.on('error', () => undefined),
      server.on('error', () => undefined),
    );
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.close();
    for (const end of ends) end.destroy();
  });
  return { port: (proxy.address() as AddressInfo).port, ends };
}

async function works(store: Store): Promise<boolean> {
  return await store.claim('x').then(
    () => true,
    () => false,
  );
}
