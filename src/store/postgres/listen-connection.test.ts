import assert from 'node:assert/strict';
import { type TestContext, after, describe, test } from 'node:test';
import pg from 'pg';
import { GrowthAnnouncer } from '../../journal/journal-growth.ts';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { Journal } from '../../journal/journal.ts';
import { JournalReader } from '../../journal/queries/journal-reader.ts';
import { draft } from '../../journal/store/store.conformance.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from '../../sources/local/define-tool.ts';
import type { AnyTool } from '../../sources/local/foreign-tools.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { startPostgres } from '../../../test/support/postgres.ts';
import { within } from '../../../test/support/within.ts';
import { parseAddress } from './address.ts';
import { PostgresDatabase, loadDriver } from './postgres-database.ts';
import { PostgresPubSub } from './postgres-pub-sub.ts';
import { toChannel } from './listen-connection.ts';
import { type PostgresStore, postgresStore } from './postgres-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Less than the polling interval without notifications. */
const toldMs = 12_000;
let places = 0;

/** Opens several stores on one schema, as several processes would. */
async function stores(t: TestContext, count: number): Promise<PostgresStore[]> {
  const address = cluster.address(`hearing_${(places += 1)}`);
  const opened = await Promise.all(Array.from({ length: count }, () => postgresStore({ address })));
  t.after(() => Promise.all(opened.map((store) => store.close())));
  return opened;
}

const pastRules = {
  file: 'policies.yaml',
  text: `
- { id: yes, match: "mcp__x__*", allow: true }
- id: green
  match: mcp__x__deploy
  deny: "!(session.lastOk('mcp__x__check').seq > session.last('mcp__x__write').seq)"
- id: calm
  rateLimit: { match: mcp__x__pay, per: 1h, max: 3 }
- id: one
  match: mcp__x__long
  deny: session.count('mcp__x__long') > 0
`,
};

describe('processes that share a PostgreSQL', () => {
  test('whoever follows the journal hears of what another process wrote, and of all of it', async (t) => {
    const [one, two] = await stores(t, 2);
    assert.ok(one !== undefined && two !== undefined);
    const journal = new Journal(one);
    const over = new AbortController();
    const seen: string[] = [];
    const calls = Array.from({ length: 200 }, (_, index) => `call_${index}`);
    const followed = (async () => {
      for await (const { seq } of new JournalReader(two).stream({}, { follow: true, signal: over.signal })) {
        seen.push(calls[seq - 1] ?? 'unknown');
        if (seen.length === calls.length) return;
      }
    })();
    for (const call of calls) {
      await journal.append(draft({ call }), 'crash');
      if (call.endsWith('0')) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await within(followed, 'all entries are heard of', () => String(seen.length), toldMs);
    over.abort();
    assert.deepEqual(seen, calls);
    await journal.drain();
  });

  test('a busy journal sends far fewer notes than it has entries, however many write', async (t) => {
    const opened = await stores(t, 3);
    const [first] = opened;
    let notes = 0;
    first?.pubSub.subscribe('journal', () => (notes += 1));
    const announcers = opened.map(({ pubSub }) => new GrowthAnnouncer(pubSub));
    const begun = performance.now();
    let announced = 0;
    while (performance.now() - begun < 1000) {
      // Many at a time, so that there are enough on a busy machine, too.
      for (let count = 0; count < 20; count += 1) for (const announcer of announcers) announcer.announce();
      announced += 20 * announcers.length;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(announcers.map((announcer) => announcer.close()));
    assert.ok(notes > 0);
    assert.ok(notes * 5 < announced, `${notes} notes for ${announced} entries`);
  });

  test('a notice that is no note ends nobody, and what comes after it is heard', async (t) => {
    const [store] = await stores(t, 1);
    assert.ok(store !== undefined);
    const address = cluster.address(`hearing_${places}`);
    const client = new pg.Client({ connectionString: address.replace(/\?.*/, '') });
    await client.connect();
    t.after(() => client.end());
    const heard: string[] = [];
    store.pubSub.subscribe('t', (text) => heard.push(text));
    for (const notice of ['', 'no note', '{}', '[1]', 'null', '#x', '#999'])
      await client.query('SELECT pg_notify($1, $2)', [toChannel(parseAddress(address)), notice]);
    await store.pubSub.publish('t', 'heard');
    await until(() => heard.length > 0, 'a note is heard');
    assert.deepEqual(heard, ['heard']);
  });

  test('what a long note said does not stay in the database', async (t) => {
    await stores(t, 1);
    const address = parseAddress(cluster.address(`hearing_${places}`));
    const database = new PostgresDatabase(await loadDriver(), address);
    t.after(() => database.close());
    const rows = (): Promise<unknown[]> => database.rows('SELECT FROM notes');
    await new PostgresPubSub(database, 'nobody', 200).publish('t', 'x'.repeat(20_000));
    assert.equal((await rows()).length, 1);
    await until(async () => (await rows()).length === 0, 'it is gone');
  });

  test('a call that waits hears of the answer that another process got', async (t) => {
    const opened = await stores(t, 2);
    const burn = defineTool({ name: 'burn', description: 'Burns.', effect: 'irreversible', run: () => 'burnt' });
    const boxes: Signalbox[] = [];
    for (const store of opened)
      boxes.push(await createSignalbox({ store, servers: [localServer({ name: 'test', tools: [burn] })] }));
    t.after(() => Promise.all(boxes.map((box) => box.close())));
    const [one, two] = boxes;
    assert.ok(one !== undefined && two !== undefined);
    const asked = new Promise<string>((resolve) =>
      one.on('ApprovalRequested', ({ approvalId }) => resolve(approvalId)),
    );
    const called = one.call('mcp__test__burn', {}, { waitMs: 60_000 });
    await two.approvals.approve(await within(asked, 'the question'), { by: { id: 'ann', kind: 'human' } });
    assert.equal((await within(called, 'the call ends', undefined, toldMs)).outcome, 'completed');
  });

  test('rules count what other processes ran a moment ago, and what runs there now', async (t) => {
    const opened = await stores(t, 2);
    const running = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<string>();
    const tool = (name: string, run: () => string | Promise<string>): AnyTool =>
      defineTool({ name, description: name, effect: 'irreversible', run });
    const tools = [
      tool('write', () => 'written'),
      tool('deploy', () => 'deployed'),
      tool('check', () => 'green'),
      tool('pay', () => 'paid'),
      tool('long', () => {
        running.resolve();
        return ending.promise;
      }),
    ];
    const open = async (store: PostgresStore | undefined): Promise<Signalbox> => {
      assert.ok(store !== undefined);
      const box = await createSignalbox({ store, servers: [localServer({ name: 'x', tools })], policies: [pastRules] });
      t.after(() => box.close());
      return box;
    };
    const [one, two] = [await open(opened[0]), await open(opened[1])];
    const as = { session: 's', principal: { id: 'ann', kind: 'agent' } } as const;
    const ask = async (box: Signalbox, name: string): Promise<string> =>
      (await box.call(`mcp__x__${name}`, {}, as)).outcome;
    for (let round = 0; round < 5; round += 1) {
      const here: Signalbox = round % 2 === 0 ? one : two;
      const there: Signalbox = here === one ? two : one;
      const seen: string[] = [await ask(here, 'write'), await ask(there, 'deploy'), await ask(there, 'check')];
      assert.deepEqual([...seen, await ask(here, 'deploy')], ['completed', 'denied', 'completed', 'completed']);
    }
    const paid = [];
    for (const box of [one, two, one, two, one]) paid.push(await ask(box, 'pay'));
    assert.deepEqual(paid, ['completed', 'completed', 'completed', 'denied', 'denied']);
    const seen: string[] = [await ask(two, 'write'), await ask(two, 'check'), await ask(one, 'write')];
    assert.deepEqual(seen, ['completed', 'completed', 'completed']);
    assert.equal(await ask(one, 'deploy'), 'denied', 'written after the check there, though heard of before it');
    const long = ask(one, 'long');
    await running.promise;
    assert.equal(await ask(two, 'long'), 'denied', 'one runs there');
    const third = await open(await postgresStore({ address: cluster.address(`hearing_${places}`) }));
    assert.equal(await ask(third, 'long'), 'denied', 'also for who has never heard of the session');
    ending.resolve('done');
    assert.equal(await long, 'completed');
  });

  test('a call has one outcome, also when its process was taken for gone and comes back', async (t) => {
    const [one, two] = await stores(t, 2);
    assert.ok(one !== undefined && two !== undefined);
    const running = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<string>();
    const long = defineTool({
      name: 'long',
      description: 'Takes long.',
      effect: 'irreversible',
      run() {
        running.resolve();
        return ending.promise;
      },
    });
    const policies = [{ file: 'policies.yaml', text: '- { id: yes, match: "mcp__x__*", allow: true }' }];
    const box = await createSignalbox({ store: one, servers: [localServer({ name: 'x', tools: [long] })], policies });
    t.after(() => box.close());
    const called = box.call('mcp__x__long', {});
    await running.promise;
    const [intent] = await two.entries({ order: 'newest-first', limit: 1, type: 'CallStarted' });
    const call = intent?.call ?? '';
    const lost = draft({ call, outcome: 'unknown', claim: { key: `lost ${call}`, fingerprint: '' } });
    assert.equal((await two.append([lost])).length, 1);
    ending.resolve('done');
    const { outcome, error } = await called;
    assert.deepEqual([outcome, error?.code], ['unknown', 'outcome-unrecorded']);
    const outcomes = async (of: string): Promise<string[]> =>
      (await two.entries({ order: 'oldest-first', limit: 9, call: of, type: 'ToolInvoked' })).map(
        (entry) => entry.outcome,
      );
    assert.deepEqual(await outcomes(call), ['unknown']);

    await one.append([draft({ call: 'back', type: 'CallStarted', outcome: '' })]);
    await one.append([draft({ call: 'back' }), draft({ call: 'other' })]);
    const late = draft({ call: 'back', outcome: 'unknown', claim: { key: 'lost back', fingerprint: '' } });
    const [written, next] = await two.append([late, draft({ call: 'next' })]);
    assert.deepEqual([written, next?.call], [undefined, 'next']);
    assert.deepEqual(await outcomes('back'), ['completed']);
    assert.equal((await verifyChain(two)).ok, true);
  });
});
