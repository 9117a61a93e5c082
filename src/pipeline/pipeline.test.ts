import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import * as z from 'zod';
import {
  type AnyTool,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../index.ts';
import type { ToolContext } from '../core/tools/tool-context.ts';

type Run = (args: Record<string, unknown>, context: ToolContext) => unknown;

/** Creates a box with one read tool, `mcp__t__go`. */
async function boxWith(run: Run, options: SignalboxOptions & { timeoutMs?: number } = {}): Promise<Signalbox> {
  const go = defineTool({
    name: 'go',
    description: 'x',
    input: { type: 'object' },
    effect: 'read',
    run,
  });
  return createSignalbox({ ...options, servers: [localServer({ name: 't', tools: [go] })] });
}

async function outcomeOf(run: Run, options: SignalboxOptions = {}): Promise<[string, string | undefined, string]> {
  const box = await boxWith(run, options);
  const result = await box.call('mcp__t__go', {});
  await box.close();
  const [first] = result.content;
  return [result.outcome, result.error?.code, first?.type === 'text' ? first.text : ''];
}

describe('handler results', () => {
  test('a string, a number, an object, content blocks and a full result complete the call', async () => {
    const completed = async (returned: unknown): Promise<unknown> => {
      const box = await boxWith(() => returned);
      const { outcome, content, structuredContent } = await box.call('mcp__t__go');
      await box.close();
      assert.equal(outcome, 'completed');
      return { content, structuredContent };
    };
    const text = (value: string): object => ({ type: 'text', text: value });
    assert.deepEqual(await completed('hello'), { content: [text('hello')], structuredContent: undefined });
    assert.deepEqual(await completed(undefined), { content: [], structuredContent: undefined });
    assert.deepEqual(await completed(42), { content: [text('42')], structuredContent: 42 });
    assert.deepEqual(await completed({ a: 1 }), { content: [text('{"a":1}')], structuredContent: { a: 1 } });
    assert.deepEqual(await completed([1, 2]), { content: [text('[1,2]')], structuredContent: [1, 2] });
    assert.deepEqual(await completed([]), { content: [text('[]')], structuredContent: [] });
    const blocks = [text('a'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }];
    assert.deepEqual(await completed(blocks), { content: blocks, structuredContent: undefined });
    assert.deepEqual(await completed({ content: blocks, structuredContent: { b: 2 } }), {
      content: blocks,
      structuredContent: { b: 2 },
    });
    // An object that merely has a property named content is data, not a result.
    assert.deepEqual(await completed({ content: 'x' }), {
      content: [text('{"content":"x"}')],
      structuredContent: { content: 'x' },
    });
  });

  test('a throw, a rejection and a thrown value that is not an Error fail the call with the message', async () => {
    assert.deepEqual(
      await outcomeOf(() => {
        throw new Error('no such note');
      }),
      ['failed', 'tool-failed', 'mcp__t__go failed: no such note'],
    );
    assert.deepEqual(await outcomeOf(() => Promise.reject(new TypeError('odd'))), [
      'failed',
      'tool-failed',
      'mcp__t__go failed: odd',
    ]);
    // eslint-disable-next-line no-throw-literal
    assert.deepEqual(
      await outcomeOf(() => {
        throw 'plain text';
      }),
      ['failed', 'tool-failed', 'mcp__t__go failed: plain text'],
    );
    assert.deepEqual(
      await outcomeOf(async () => {
        throw undefined;
      }),
      ['failed', 'tool-failed', 'mcp__t__go failed: a thrown undefined: undefined'],
    );
    const hostile = {
      toString: () => {
        throw new Error('again');
      },
    };
    assert.equal(
      (
        await outcomeOf(() => {
          throw hostile;
        })
      )[0],
      'failed',
    );
  });

  test('a result with isError fails the call and retains its content', async () => {
    const result = { content: [{ type: 'text', text: 'quota used up' }], isError: true };
    assert.deepEqual(await outcomeOf(() => result), ['failed', 'tool-failed', 'quota used up']);
  });

  test('results that JSON cannot represent fail the call, and the message has their path', async () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const cases: [unknown, RegExp][] = [
      [cyclic, /cycle.*\$\.self\.self/],
      [{ total: 10n }, /bigint has no form in JSON \(at \$\.total\)/],
      [{ list: [1, () => 1] }, /function has no form in JSON \(at \$\.list\[1\]\)/],
      [Symbol('x'), /symbol has no form in JSON \(at \$\)/],
      [{ ratio: Number.NaN }, /NaN is not a JSON number \(at \$\.ratio\)/],
      [{ m: new Map() }, /a Map is not a plain object \(at \$\.m\)/],
    ];
    for (const [returned, message] of cases) {
      const [outcome, code, text] = await outcomeOf(() => returned);
      assert.deepEqual([outcome, code], ['failed', 'result-invalid']);
      assert.match(text, message);
    }
  });

  test('a result of 200 MB fails the call and names the limit, as text and as structured content', async () => {
    const text = await outcomeOf(() => 'x'.repeat(200 * 1024 * 1024));
    assert.deepEqual(text.slice(0, 2), ['failed', 'result-too-large']);
    assert.match(text[2], /more than 64 MB/);
    const chunk = 'y'.repeat(1024 * 1024);
    const structure = await outcomeOf(() => ({ rows: Array.from({ length: 200 }, () => chunk) }));
    assert.deepEqual(structure.slice(0, 2), ['failed', 'result-too-large']);
  });

  test('a result that does not match the declared output schema fails the call', async () => {
    const tool = defineTool({
      name: 'go',
      description: 'x',
      input: z.object({}),
      output: z.object({ n: z.number() }),
      effect: 'read',
      run: () => ({ n: 'one' }) as unknown as { n: number },
    });
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [tool] })] });
    const result = await box.call('mcp__t__go');
    assert.equal(result.error?.code, 'result-invalid');
    assert.match(result.error?.message ?? '', /\$\.n: /);
    await box.close();
  });
});

describe('timeouts and cancellation', () => {
  test('a handler that hangs is timed out and its signal aborted; other calls continue', async () => {
    let reason: unknown;
    const box = await boxWith(
      ({ hang }, { signal }) => {
        if (hang !== true) return 'quick';
        signal.addEventListener('abort', () => (reason = signal.reason));
        return new Promise(() => undefined);
      },
      { timeoutMs: 60 },
    );
    const hanging = box.call('mcp__t__go', { hang: true });
    assert.equal((await box.call('mcp__t__go', {})).outcome, 'completed');
    const result = await hanging;
    assert.deepEqual([result.outcome, result.error?.code], ['timed-out', 'deadline-exceeded']);
    assert.ok(result.durationMs >= 55, `ended after ${result.durationMs} ms`);
    assert.equal((reason as Error).name, 'TimeoutError');
    await box.close();
  });

  test('the caller’s deadline applies when it is earlier than the tool’s timeout', async () => {
    const box = await boxWith(() => new Promise(() => undefined));
    const result = await box.call('mcp__t__go', {}, { deadline: Date.now() + 40 });
    assert.equal(result.outcome, 'timed-out');
    assert.equal((await box.call('mcp__t__go', {}, { deadline: new Date(Date.now() - 1) })).outcome, 'timed-out');
    await box.close();
  });

  test('the deadline of the handler comes from tool, server or box, in that order', async () => {
    const deadlines: number[] = [];
    const tool = (name: string, timeoutMs?: number): AnyTool =>
      defineTool({
        name,
        description: 'x',
        input: { type: 'object' },
        effect: 'read',
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        run: (_, { deadline }) => void deadlines.push(deadline - Date.now()),
      });
    const box = await createSignalbox({
      timeoutMs: 3_000,
      servers: [
        localServer({ name: 'a', tools: [tool('x', 1_000), tool('y')], timeoutMs: 2_000 }),
        localServer({ name: 'b', tools: [tool('z')] }),
      ],
    });
    for (const name of ['mcp__a__x', 'mcp__a__y', 'mcp__b__z']) await box.call(name);
    assert.deepEqual(
      deadlines.map((each) => Math.round(each / 1000)),
      [1, 2, 3],
    );
    await box.close();
  });

  test('a call ends as cancelled before it runs, while it runs and while it is queued', async () => {
    const box = await createSignalbox({
      servers: [
        localServer({
          name: 't',
          concurrency: 1,
          tools: [
            defineTool({
              name: 'go',
              description: 'x',
              input: { type: 'object' },
              effect: 'read',
              run: () => new Promise(() => undefined),
            }),
          ],
        }),
      ],
    });
    assert.equal((await box.call('mcp__t__go', {}, { signal: AbortSignal.abort() })).outcome, 'cancelled');
    const [running, queued] = [new AbortController(), new AbortController()];
    const first = box.call('mcp__t__go', {}, { signal: running.signal });
    const second = box.call('mcp__t__go', {}, { signal: queued.signal });
    setTimeout(() => queued.abort(), 10);
    assert.match((await second).error?.message ?? '', /waiting for a free slot at server "t"/);
    running.abort();
    assert.equal((await first).outcome, 'cancelled');
    await box.close();
  });

  test('close waits for running calls, cancels the rest after the grace period, and refuses new calls', async () => {
    const box = await boxWith(({ ms }, { signal }) => delay(Number(ms), 'done', { signal }));
    const [quick, slow] = [box.call('mcp__t__go', { ms: 20 }), box.call('mcp__t__go', { ms: 60_000 })];
    await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = box.close({ graceMs: 500 });
    await assert.rejects(box.call('mcp__t__go', {}), { code: 'box-closed' });
    assert.equal((await quick).outcome, 'completed');
    assert.deepEqual([(await slow).outcome, (await slow).error?.code], ['cancelled', 'box-closed']);
    await closed;
  });

  test('a server receives no more concurrent calls than its limit, in order of arrival', async () => {
    let [running, maxRunning] = [0, 0];
    const order: unknown[] = [];
    const tool = defineTool({
      name: 'go',
      description: 'x',
      input: { type: 'object' },
      effect: 'read',
      run: async ({ n }: Record<string, unknown>) => {
        order.push(n);
        maxRunning = Math.max(maxRunning, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
      },
    });
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [tool], concurrency: 3 })] });
    await Promise.all(Array.from({ length: 20 }, (_, n) => box.call('mcp__t__go', { n })));
    assert.equal(maxRunning, 3);
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, n) => n),
    );
    await box.close();
  });
});

describe('handler context', () => {
  test('has session, principal, call id and progress, and state for each session and server', async () => {
    const seen: unknown[] = [];
    const box = await boxWith((_, context) => {
      const count = Number(context.state.get('count') ?? 0) + 1;
      context.state.set('count', count);
      context.progress({ progress: count, total: 3, message: 'on the way' });
      seen.push([context.session, context.principal.id, context.callId]);
      return count;
    });
    const progress: unknown[] = [];
    const call = async (session?: string): Promise<unknown> => {
      const result = await box.call(
        'mcp__t__go',
        {},
        {
          principal: { id: 'ann', kind: 'human' },
          onProgress: (each) => progress.push(each.progress),
          ...(session === undefined ? {} : { session }),
        },
      );
      assert.deepEqual(seen.at(-1), [session, 'ann', result.callId]);
      return result.structuredContent;
    };
    assert.deepEqual(
      [await call('s1'), await call('s1'), await call('s2'), await call(), await call()],
      [1, 2, 1, 1, 1],
    );
    assert.deepEqual(progress, [1, 2, 1, 1, 1]);
    await box.close();
  });

  test('a listener of the host that throws affects neither the call nor the process', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    const box = await boxWith((_, { progress }) => progress({ progress: 1 }));
    box.on('ToolInvoked', () => {
      throw new Error('listener');
    });
    const result = await box.call(
      'mcp__t__go',
      {},
      {
        onProgress: () => {
          throw new Error('progress');
        },
      },
    );
    assert.equal(result.outcome, 'completed');
    await box.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    assert.deepEqual(warnings, ['a listener threw: progress', 'a listener threw: listener']);
  });
});

describe('names and arguments of calls', () => {
  test('an unknown tool is denied with the closest name, a tool of a disabled server with the reason', async () => {
    const box = await boxWith(() => 1);
    assert.match((await box.call('mcp__t__goo', {})).error?.message ?? '', /did you mean "mcp__t__go"\?/);
    box.servers.disable('t');
    const disabled = await box.call('mcp__t__go', {});
    assert.deepEqual([disabled.outcome, disabled.error?.code], ['denied', 'tool-hidden']);
    assert.match(disabled.error?.message ?? '', /server "t" is disabled \(since 20/);
    box.servers.enable('t');
    assert.equal((await box.call({ server: 't', tool: 'go' })).outcome, 'completed');
    await box.close();
  });

  test('a call with the hash of a changed definition is stale and does not run', async () => {
    let runs = 0;
    const tool = (description: string): AnyTool =>
      defineTool({ name: 'go', description, input: { type: 'object' }, effect: 'read', run: () => ++runs });
    const server = localServer({ name: 't', tools: [tool('one')] });
    const box = await createSignalbox({ servers: [server] });
    const definitionHash = box.catalog().tools.find((each) => each.name === 'mcp__t__go')?.definitionHash ?? '';
    assert.equal((await box.call('mcp__t__go', {}, { definitionHash })).outcome, 'completed');
    server.replace(tool('two'));
    assert.equal((await box.call('mcp__t__go', {}, { definitionHash })).outcome, 'stale');
    server.remove('go');
    assert.equal((await box.call('mcp__t__go', {}, { definitionHash })).outcome, 'stale');
    assert.equal(runs, 1);
    await box.close();
  });

  test('any value as arguments leads to an outcome and one journal entry', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    };
    let runs = 0;
    const strict = defineTool({ name: 'strict', description: 'x', input: schema, effect: 'read', run: () => ++runs });
    const echo = defineTool({
      name: 'echo',
      description: 'x',
      input: { type: 'object' },
      effect: 'read',
      run: (args) => args,
    });
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [strict, echo] })] });
    const records: string[] = [];
    box.on('ToolInvoked', (event) => records.push(event.callId));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue({ noUnicodeString: false }),
          fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        ),
        async (args) => {
          const before = runs;
          const [first, second] = [await box.call('mcp__t__strict', args), await box.call('mcp__t__echo', args)];
          assert.ok(['completed', 'failed'].includes(first.outcome));
          assert.ok(['completed', 'failed'].includes(second.outcome));
          assert.equal(
            runs - before,
            first.outcome === 'completed' ? 1 : 0,
            'the handler runs only for arguments that match the schema',
          );
          assert.deepEqual(records.splice(0), [first.callId, second.callId]);
        },
      ),
      { numRuns: 500 },
    );
    assert.equal((await box.journal.verify()).ok, true);
    await box.close();
  });
});
