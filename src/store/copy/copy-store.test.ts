import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, after, describe, test } from 'node:test';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { fillStore } from '../../../test/support/journal/filled-store.ts';
import { startPostgres } from '../../../test/support/postgres/postgres.ts';
import { within } from '../../../test/support/within.ts';
import { journalSealer } from '../../config/secrets/journal-key.ts';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { draft } from '../../journal/store/store.conformance.ts';
import type { Store } from '../../journal/store/store.ts';
import { SignalboxError } from '../../core/errors.ts';
import { parseAddress } from '../postgres/address.ts';
import { openPostgresTarget } from '../postgres/copy-target.ts';
import { PostgresDatabase, loadDriver } from '../postgres/postgres-database.ts';
import { postgresStore } from '../postgres/postgres-store.ts';
import { openSqliteSource } from '../sqlite/copy-source.ts';
import { sqliteStore } from '../sqlite/sqlite-store.ts';
import { type CopyReport, copyStore } from './copy-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());
let schemas = 0;

/** Creates a SQLite file with records. */
async function filledFile(t: TestContext, calls = 300): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-copy-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.db');
  const store = sqliteStore({ file, sealer: await journalSealer(directory) });
  await fillStore(store, { calls });
  await store.close();
  return file;
}

const freshAddress = (): string => cluster.address(`copy_${(schemas += 1)}`);

async function copy(
  file: string,
  address: string,
  options: { restart?: boolean; stopAfter?: number } = {},
): Promise<CopyReport> {
  const source = await openSqliteSource(file);
  try {
    const target = await openPostgresTarget(address, source, options);
    const stop = new AbortController();
    let steps = 0;
    const onProgress = (): void => {
      if ((steps += 1) === options.stopAfter) stop.abort();
    };
    try {
      return await copyStore(source, target, { onProgress, signal: stop.signal });
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

const copyErrorWith =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof SignalboxError && pattern.test(error.message) && !error.message.includes('hunter2');

/** Returns all data of a store that its interface exposes. */
async function contentsOf(store: Store): Promise<object> {
  const { sessions } = store;
  const all = { order: 'oldest-first', limit: 100_000 } as const;
  return {
    entries: await store.entries(all),
    calls: await store.entries({ ...all, calls: true }),
    slow: await store.entries({ ...all, server: 'mail', decision: 'ask', text: 'part 7' }),
    claims: [await store.claim('key'), await store.claim('unsettled')],
    recording: await store.recording('keyed'),
    result: (await store.readResult('large', 0, 1e6))?.text.replaceAll('\0', '\uFFFD'),
    approvals: await store.approvals({ limit: 10 }),
    open: await store.approvals({ limit: 10, openAt: Date.now() }),
    rules: await store.rules(),
    tokens: await store.tokens.list({ limit: 10 }),
    jobs: await store.jobs.list(),
    seals: await store.seals(),
    keyValues: await store.keyValues.list('lock'),
    sessions: await sessions.select({ limit: 10 }),
    memory: await sessions.memory('s1'),
    events: (await sessions.events('s1', 0, 10_000)).map(({ seq, at, body }) => ({ seq, at, body })),
  };
}

describe('copyStore, from SQLite to PostgreSQL', () => {
  test('copies every record and the chain unchanged', async (t) => {
    const file = await filledFile(t);
    const address = freshAddress();
    const { tables, head, resumed } = await copy(file, address);
    assert.equal(resumed, 0);
    // An empty table would prove nothing: fill it in `filled-store.ts`.
    const empty = Object.entries(tables).filter(([name, rows]) => rows === 0 && name !== 'beginning');
    assert.deepEqual(empty, []);
    const [from, to] = [sqliteStore({ file }), await postgresStore({ address })];
    t.after(() => Promise.all([from.close(), to.close()]));
    assert.deepEqual(await contentsOf(to), await contentsOf(from));
    const verified = await verifyChain(to);
    assert.deepEqual([verified.ok, verified.ok && verified.head], [true, head]);
    // The copy works: new entries join the chain, a repeated message is recognized, a new question with an old binding is refused,
    // and lost work is found.
    await to.append([draft()]);
    assert.equal((await verifyChain(to, { expected: head })).ok, true);
    const by = { id: 'ann', kind: 'human' } as const;
    const sent = { id: 'turn_9', session: 's1', content: 'x', by, at: 5, title: '', maxWaiting: 9, key: '"turn_2' };
    assert.equal((await to.sessions.queue(sent))?.turnId, 'turn_2');
    const [open] = await to.approvals({ limit: 1, binding: 'b' });
    assert.ok(open !== undefined);
    const repeated = { ...open, id: 'appr_9' };
    assert.deepEqual(await to.append([draft({ approval: { kind: 'ask', record: repeated } })]), [undefined]);
    assert.deepEqual(
      (await to.orphans()).map(({ call }) => call),
      ['open'],
    );
    assert.deepEqual(
      (await to.sessions.takeLost()).map(({ id }) => id),
      ['turn_1'],
    );
  });

  test('rejects a journal without its newest entries, because the copy would conceal that', async (t) => {
    const file = await filledFile(t, 10);
    const database = new DatabaseSync(file);
    database.exec('DELETE FROM journal WHERE seq > (SELECT max(seq) - 3 FROM journal)');
    database.close();
    await assert.rejects(copy(file, freshAddress()), copyErrorWith(/is not intact.*signalbox journal verify/));
  });

  test('a process that is opening the store and a copy exclude each other', async (t) => {
    const file = await filledFile(t, 10);
    const address = freshAddress();
    const source = await openSqliteSource(file);
    t.after(() => source.close());
    await (await postgresStore({ address })).close();
    const lockDatabase = new PostgresDatabase(await loadDriver(), parseAddress(address));
    const holder = lockDatabase.client();
    await holder.connect();
    t.after(async () => {
      await holder.end();
      await lockDatabase.close();
    });
    // Blocks a starting process after its check and before it registers itself.
    await holder.query('BEGIN; LOCK TABLE writers IN EXCLUSIVE MODE');
    const starting = postgresStore({ address });
    t.after(() => starting.then((store) => store.close()));
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'writers'::regclass";
    const waits = async (): Promise<void> => {
      while ((await holder.query(waiting)).rowCount === 0) await yieldTurn();
    };
    await within(waits(), 'the process to wait');
    await assert.rejects(openPostgresTarget(address, source), copyErrorWith(/is being filled .* or is being opened/));
    await holder.query('COMMIT');
    const store = await starting;
    await store.append([draft()]);
    await assert.rejects(openPostgresTarget(address, source), copyErrorWith(/is in use/));
  });

  test('resumes an interrupted copy, and the store cannot be opened before it is complete', async (t) => {
    const file = await filledFile(t);
    const address = freshAddress();
    for (const stopAfter of [1, 2, 3]) await assert.rejects(copy(file, address, { stopAfter }), { name: 'AbortError' });
    await assert.rejects(
      postgresStore({ address }),
      copyErrorWith(/contains an unfinished copy of .*run signalbox migrate/),
    );
    const { head, resumed } = await copy(file, address);
    assert.ok(resumed > 300, `${resumed} rows were not copied again`);
    const direct = freshAddress();
    assert.deepEqual((await copy(file, direct)).head, head);
    const [one, other] = [await postgresStore({ address }), await postgresStore({ address: direct })];
    t.after(() => Promise.all([one.close(), other.close()]));
    assert.deepEqual(await contentsOf(one), await contentsOf(other));
  });

  test('accepts a repeated copy, and rejects one into a store that is or was in use', async (t) => {
    const file = await filledFile(t, 10);
    const address = freshAddress();
    const first = await copy(file, address);
    assert.deepEqual((await copy(file, address)).tables, first.tables);
    const store = await postgresStore({ address });
    await assert.rejects(copy(file, address), copyErrorWith(/is in use; stop the processes that use it/));
    await store.append([draft()]);
    await store.close();
    await assert.rejects(copy(file, address), copyErrorWith(/has been in use since/));
  });

  test('rejects a store with other records', async (t) => {
    const file = await filledFile(t, 10);
    const address = freshAddress();
    const store = await postgresStore({ address });
    await store.storeResult({ id: 'r', owner: 'o', mimeType: 'text/plain', text: 'x' });
    await store.close();
    await assert.rejects(copy(file, address), copyErrorWith(/already contains records \(result/));
    const partial = freshAddress();
    await assert.rejects(copy(await filledFile(t, 10), partial, { stopAfter: 2 }));
    await assert.rejects(copy(file, partial), copyErrorWith(/contains a copy of another journal/));
    const { head } = await copy(file, partial, { restart: true });
    const restarted = await postgresStore({ address: partial });
    t.after(() => restarted.close());
    assert.deepEqual(await restarted.anchor(), head);
  });

  test('rejects a journal that was changed, and the copy cannot be opened', async (t) => {
    const file = await filledFile(t, 10);
    const database = new DatabaseSync(file);
    database.exec("UPDATE journal SET tool = 'mcp__a__c' WHERE seq = 5");
    database.close();
    const address = freshAddress();
    await assert.rejects(copy(file, address), copyErrorWith(/entry 5 was changed.*Check the source with/));
    await assert.rejects(postgresStore({ address }), copyErrorWith(/contains an unfinished copy/));
  });

  test('detects a change of the source between two runs, and copies it again with `restart`', async (t) => {
    const file = await filledFile(t, 10);
    const address = freshAddress();
    await assert.rejects(copy(file, address, { stopAfter: 30 }), { name: 'AbortError' });
    const store = sqliteStore({ file });
    await store.tokens.used('tok_1', 77);
    await store.close();
    await assert.rejects(
      copy(file, address),
      copyErrorWith(/the table tokens is not the same on both sides.*--restart/),
    );
    await copy(file, address, { restart: true });
    const copied = await postgresStore({ address });
    t.after(() => copied.close());
    assert.equal((await copied.tokens.find('tok_1'))?.lastUsedAt, 77);
  });

  test('rejects a source that a process has open, naming the process, and locks the source during a copy', async (t) => {
    const file = await filledFile(t, 10);
    const program = `
      const { sqliteStore } = await import(${JSON.stringify(new URL('../sqlite/sqlite-store.ts', import.meta.url).href)});
      sqliteStore({ file: ${JSON.stringify(file)} });
      process.stdout.write('open');
      setInterval(() => {}, 60_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    try {
      await once(child.stdout, 'data');
      await assert.rejects(
        openSqliteSource(file),
        copyErrorWith(new RegExp(`is in use by process ${child.pid}; stop it`)),
      );
    } finally {
      child.kill('SIGKILL');
      await closed;
    }
    const source = await openSqliteSource(file);
    try {
      assert.throws(() => sqliteStore({ file }), copyErrorWith(/locked/));
    } finally {
      source.close();
    }
  });
});
