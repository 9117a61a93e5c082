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
import { startPostgres } from '../../../test/support/postgres/postgres.ts';
import { within } from '../../../test/support/within.ts';
import { parseAddress } from './address.ts';
import { PostgresDatabase, loadDriver } from './postgres-database.ts';
import { PostgresPubSub } from './postgres-pub-sub.ts';
import { toChannel } from './listen-connection.ts';
import { type PostgresStore, postgresStore } from './postgres-store.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Less than the fallback poll interval, so that only a notification is in time. */
const notificationMs = 12_000;
let schemas = 0;

/** Opens several stores on one schema, as several processes would. */
async function stores(t: TestContext, count: number): Promise<PostgresStore[]> {
  const address = cluster.address(`shared_${(schemas += 1)}`);
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

describe('several stores on one PostgreSQL database', () => {
  test('a follower of the journal receives all entries of another process', async (t) => {
    const [one, two] = await stores(t, 2);
    assert.ok(one !== undefined && two !== undefined);
    const journal = new Journal(one);
    const stop = new AbortController();
    const received: string[] = [];
    const calls = Array.from({ length: 200 }, (_, index) => `call_${index}`);
    const followed = (async () => {
      for await (const { seq } of new JournalReader(two).stream({}, { follow: true, signal: stop.signal })) {
        received.push(calls[seq - 1] ?? 'unknown');
        if (received.length === calls.length) return;
      }
    })();
    for (const call of calls) {
      await journal.append(draft({ call }), 'crash');
      if (call.endsWith('0')) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await within(followed, 'all entries', () => String(received.length), notificationMs);
    stop.abort();
    assert.deepEqual(received, calls);
    await journal.drain();
  });

  test('sends far fewer messages than there are entries, with several writers', async (t) => {
    const opened = await stores(t, 3);
    const [first] = opened;
    let messages = 0;
    first?.pubSub.subscribe('journal', () => (messages += 1));
    const announcers = opened.map(({ pubSub }) => new GrowthAnnouncer(pubSub));
    const startedAt = performance.now();
    let announced = 0;
    while (performance.now() - startedAt < 1000) {
      // Many at a time, so that there are enough also on a busy machine.
      for (let count = 0; count < 20; count += 1) for (const announcer of announcers) announcer.announce();
      announced += 20 * announcers.length;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(announcers.map((announcer) => announcer.close()));
    assert.ok(messages > 0);
    assert.ok(messages * 5 < announced, `${messages} messages for ${announced} entries`);
  });

  test('ignores notifications that are not valid messages', async (t) => {
    const [store] = await stores(t, 1);
    assert.ok(store !== undefined);
    const address = cluster.address(`shared_${schemas}`);
    const client = new pg.Client({ connectionString: address.replace(/\?.*/, '') });
    await client.connect();
    t.after(() => client.end());
    const received: string[] = [];
    store.pubSub.subscribe('t', (text) => received.push(text));
    for (const notice of ['', 'not JSON', '{}', '[1]', 'null', '#x', '#999'])
      await client.query('SELECT pg_notify($1, $2)', [toChannel(parseAddress(address)), notice]);
    await store.pubSub.publish('t', 'valid');
    await until(() => received.length > 0, 'a message is received');
    assert.deepEqual(received, ['valid']);
  });

  test('removes the text of a long message from the database', async (t) => {
    await stores(t, 1);
    const address = parseAddress(cluster.address(`shared_${schemas}`));
    const database = new PostgresDatabase(await loadDriver(), address);
    t.after(() => database.close());
    const rows = (): Promise<unknown[]> => database.rows('SELECT FROM notes');
    await new PostgresPubSub(database, 'unused_channel', 200).publish('t', 'x'.repeat(20_000));
    assert.equal((await rows()).length, 1);
    await until(async () => (await rows()).length === 0, 'the row is removed');
  });

  test('a waiting call receives the answer that was given in another process', async (t) => {
    const opened = await stores(t, 2);
    const burn = defineTool({ name: 'burn', description: 'Burns.', effect: 'irreversible', run: () => 'burnt' });
    const boxes: Signalbox[] = [];
    for (const store of opened)
      boxes.push(await createSignalbox({ store, servers: [localServer({ name: 'test', tools: [burn] })] }));
    t.after(() => Promise.all(boxes.map((box) => box.close())));
    const [one, two] = boxes;
    assert.ok(one !== undefined && two !== undefined);
    const requested = new Promise<string>((resolve) =>
      one.on('ApprovalRequested', ({ approvalId }) => resolve(approvalId)),
    );
    const outcome = one.call('mcp__test__burn', {}, { waitMs: 60_000 });
    await two.approvals.approve(await within(requested, 'the question'), { by: { id: 'ann', kind: 'human' } });
    assert.equal((await within(outcome, 'the end of the call', undefined, notificationMs)).outcome, 'completed');
  });

  test('rules count the ended and the running calls of other processes', async (t) => {
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
      const outcomes: string[] = [await ask(here, 'write'), await ask(there, 'deploy'), await ask(there, 'check')];
      assert.deepEqual([...outcomes, await ask(here, 'deploy')], ['completed', 'denied', 'completed', 'completed']);
    }
    const paid = [];
    for (const box of [one, two, one, two, one]) paid.push(await ask(box, 'pay'));
    assert.deepEqual(paid, ['completed', 'completed', 'completed', 'denied', 'denied']);
    const outcomes: string[] = [await ask(two, 'write'), await ask(two, 'check'), await ask(one, 'write')];
    assert.deepEqual(outcomes, ['completed', 'completed', 'completed']);
    assert.equal(await ask(one, 'deploy'), 'denied', 'the write is after the check of the other process');
    const long = ask(one, 'long');
    await running.promise;
    assert.equal(await ask(two, 'long'), 'denied', 'a call runs in the other process');
    const third = await open(await postgresStore({ address: cluster.address(`shared_${schemas}`) }));
    assert.equal(await ask(third, 'long'), 'denied', 'also for a process that does not know the session');
    ending.resolve('done');
    assert.equal(await long, 'completed');
  });

  test('a call has one outcome, also when its process was considered dead and returns', async (t) => {
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

    await one.append([draft({ call: 'returned', type: 'CallStarted', outcome: '' })]);
    await one.append([draft({ call: 'returned' }), draft({ call: 'other' })]);
    const late = draft({ call: 'returned', outcome: 'unknown', claim: { key: 'lost returned', fingerprint: '' } });
    const [written, next] = await two.append([late, draft({ call: 'next' })]);
    assert.deepEqual([written, next?.call], [undefined, 'next']);
    assert.deepEqual(await outcomes('returned'), ['completed']);
    assert.equal((await verifyChain(two)).ok, true);
  });
});
