import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Signalbox, type SourceLimits, createSignalbox, defineTool, localServer } from '../../index.ts';

interface CountingBox {
  readonly box: Signalbox;
  readonly runs: () => number;
}

/** Creates a box with a read `count`, which returns how often it ran, and a write `bump`. */
async function countingBox(limits: SourceLimits, atRead: () => Promise<void> = async () => {}): Promise<CountingBox> {
  let runs = 0;
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    input: { type: 'object' },
    effect: 'read',
    run: async () => {
      runs += 1;
      const answer = runs;
      await atRead();
      return answer;
    },
  });
  const bump = defineTool({
    name: 'bump',
    description: 'Writes.',
    input: { type: 'object', properties: { fail: { type: 'boolean' } } },
    effect: 'undoable',
    run: (args: Record<string, unknown>) => {
      if (args['fail'] === true) throw new Error('no');
      return 'bumped';
    },
  });
  const box = await createSignalbox({
    servers: [localServer({ name: 't', tools: [count, bump], ...limits })],
    approve: () => ({ allow: true }),
  });
  return { box, runs: () => runs };
}

const read = async (box: Signalbox, args: unknown = {}, options = {}): Promise<[unknown, boolean]> => {
  const result = await box.call('mcp__t__count', args, options);
  assert.equal(result.outcome, 'completed');
  return [result.structuredContent, result.cached === true];
};

describe('cached result of a read', () => {
  test('is returned for the same arguments, in any order of keys, and is recorded as cached', async () => {
    const { box } = await countingBox({ cacheMs: 60_000 });
    assert.deepEqual(await read(box, { a: 1, b: 2 }), [1, false]);
    assert.deepEqual(await read(box, { b: 2, a: 1 }), [1, true]);
    assert.deepEqual(await read(box, { a: 2, b: 2 }), [2, false]);
    const { items } = await box.journal.calls();
    const cached = items.filter((entry) => entry.type === 'ToolInvoked' && entry.cached === true);
    assert.deepEqual([items.length, cached.length], [3, 1]);
    await box.close();
  });

  test('is not returned to another principal or session, nor without the setting', async () => {
    const { box } = await countingBox({ cacheMs: 60_000 });
    await read(box);
    assert.deepEqual(await read(box, {}, { principal: { id: 'other', kind: 'agent' } }), [2, false]);
    assert.deepEqual(await read(box, {}, { session: 's' }), [3, false]);
    assert.deepEqual(await read(box, {}, { session: 's' }), [3, true]);
    await box.close();
    const plain = await countingBox({});
    await read(plain.box);
    assert.deepEqual(await read(plain.box), [2, false]);
    await plain.box.close();
  });

  test('is dropped when a tool with an effect runs on the server, even if it fails', async () => {
    const { box } = await countingBox({ cacheMs: 60_000 });
    await read(box);
    assert.equal((await box.call('mcp__t__bump')).outcome, 'completed');
    assert.deepEqual(await read(box), [2, false]);
    assert.equal((await box.call('mcp__t__bump', { fail: true })).outcome, 'failed');
    assert.deepEqual(await read(box), [3, false]);
    await box.close();
  });

  test('is not stored when a tool with an effect ran during the read', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { box } = await countingBox({ cacheMs: 60_000 }, () => gate);
    const slow = read(box);
    await box.call('mcp__t__bump');
    open();
    assert.deepEqual(await slow, [1, false]);
    assert.deepEqual(await read(box), [2, false]);
    await box.close();
  });

  test('expires after the configured time', async () => {
    const { box } = await countingBox({ cacheMs: 5 });
    await read(box);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await read(box), [2, false]);
    await box.close();
  });

  test('is dropped when the server is replaced', async () => {
    const { box } = await countingBox({ cacheMs: 60_000 });
    await read(box);
    await box.servers.remove('t');
    const other = defineTool({
      name: 'count',
      description: 'Counts.',
      input: { type: 'object' },
      effect: 'read',
      run: () => 'new',
    });
    box.servers.add(localServer({ name: 't', tools: [other], cacheMs: 60_000 }));
    assert.deepEqual(await read(box), [undefined, false]);
    await box.close();
  });
});

describe('rate limit of a server', () => {
  test('delays the calls that exceed it', async () => {
    const { box, runs } = await countingBox({ rateLimit: { max: 2, perMs: 100 } });
    const began = Date.now();
    await Promise.all([read(box), read(box), read(box), read(box), read(box)]);
    assert.equal(runs(), 5);
    assert.ok(Date.now() - began >= 195, 'the fifth call began two periods later');
    await box.close();
  });

  test('rejects a call whose turn would come too late, with the time to call again', async () => {
    const { box, runs } = await countingBox({ rateLimit: { max: 1, perMs: 60_000 }, timeoutMs: 1000 });
    await read(box);
    const result = await box.call('mcp__t__count');
    assert.equal(result.outcome, 'failed');
    assert.equal(result.error?.code, 'rate-limited');
    assert.match(result.error.message, /is limited to 1 calls in 60 s, and the next call can start in 60 s/);
    assert.equal(runs(), 1);
    await box.close();
  });

  test('allows a waiting call to be cancelled', async () => {
    const { box, runs } = await countingBox({ rateLimit: { max: 1, perMs: 30_000 } });
    await read(box);
    const controller = new AbortController();
    const waiting = box.call('mcp__t__count', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    assert.equal((await waiting).outcome, 'cancelled');
    assert.equal(runs(), 1);
    await box.close();
  });
});
