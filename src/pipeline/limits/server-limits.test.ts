import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Signalbox, type SourceLimits, createSignalbox, defineTool, localServer } from '../../index.ts';

interface Counted {
  readonly box: Signalbox;
  readonly runs: () => number;
}

/** A box with a read `count` that tells how often it ran, and a write `bump`. */
async function counting(limits: SourceLimits, atRead: () => Promise<void> = async () => {}): Promise<Counted> {
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

describe('the result of a read', () => {
  test('is given out again for the same arguments, in any order of keys, and says so in the record', async () => {
    const { box } = await counting({ cacheMs: 60_000 });
    assert.deepEqual(await read(box, { a: 1, b: 2 }), [1, false]);
    assert.deepEqual(await read(box, { b: 2, a: 1 }), [1, true]);
    assert.deepEqual(await read(box, { a: 2, b: 2 }), [2, false]);
    const { items } = await box.journal.calls();
    const cached = items.filter((entry) => entry.type === 'ToolInvoked' && entry.cached === true);
    assert.deepEqual([items.length, cached.length], [3, 1]);
    await box.close();
  });

  test('is not given to another principal or session, and not without the setting', async () => {
    const { box } = await counting({ cacheMs: 60_000 });
    await read(box);
    assert.deepEqual(await read(box, {}, { principal: { id: 'other', kind: 'agent' } }), [2, false]);
    assert.deepEqual(await read(box, {}, { session: 's' }), [3, false]);
    assert.deepEqual(await read(box, {}, { session: 's' }), [3, true]);
    await box.close();
    const plain = await counting({});
    await read(plain.box);
    assert.deepEqual(await read(plain.box), [2, false]);
    await plain.box.close();
  });

  test('holds until something with an effect ran at that server, also when that failed', async () => {
    const { box } = await counting({ cacheMs: 60_000 });
    await read(box);
    assert.equal((await box.call('mcp__t__bump')).outcome, 'completed');
    assert.deepEqual(await read(box), [2, false]);
    assert.equal((await box.call('mcp__t__bump', { fail: true })).outcome, 'failed');
    assert.deepEqual(await read(box), [3, false]);
    await box.close();
  });

  test('is not kept when something was changed while it was read', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { box } = await counting({ cacheMs: 60_000 }, () => gate);
    const slow = read(box);
    await box.call('mcp__t__bump');
    open();
    assert.deepEqual(await slow, [1, false]);
    assert.deepEqual(await read(box), [2, false]);
    await box.close();
  });

  test('holds no longer than the setting says', async () => {
    const { box } = await counting({ cacheMs: 5 });
    await read(box);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await read(box), [2, false]);
    await box.close();
  });

  test('is not given out again after the server was replaced', async () => {
    const { box } = await counting({ cacheMs: 60_000 });
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

describe('the rate limit of a server', () => {
  test('lets the calls beyond it wait for their turn', async () => {
    const { box, runs } = await counting({ rateLimit: { max: 2, perMs: 100 } });
    const began = Date.now();
    await Promise.all([read(box), read(box), read(box), read(box), read(box)]);
    assert.equal(runs(), 5);
    assert.ok(Date.now() - began >= 195, 'the fifth call began two spans later');
    await box.close();
  });

  test('fails a call whose turn would come too late, says when to come back, and does not run it', async () => {
    const { box, runs } = await counting({ rateLimit: { max: 1, perMs: 60_000 }, timeoutMs: 1000 });
    await read(box);
    const result = await box.call('mcp__t__count');
    assert.equal(result.outcome, 'failed');
    assert.equal(result.error?.code, 'rate-limited');
    assert.match(result.error.message, /at most 1 calls in 60 s, and the next turn would come in 60 s/);
    assert.equal(runs(), 1);
    await box.close();
  });

  test('lets a waiting call be cancelled', async () => {
    const { box, runs } = await counting({ rateLimit: { max: 1, perMs: 30_000 } });
    await read(box);
    const controller = new AbortController();
    const waiting = box.call('mcp__t__count', {}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    assert.equal((await waiting).outcome, 'cancelled');
    assert.equal(runs(), 1);
    await box.close();
  });
});
