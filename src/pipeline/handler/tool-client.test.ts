import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallClient, type Signalbox, createSignalbox, defineTool, localServer } from '../../index.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';

type Run = (args: Record<string, unknown>, context: ToolContext) => unknown;

async function boxWith(run: Run, timeoutMs = 60_000): Promise<Signalbox> {
  const go = defineTool({ name: 'go', description: 'Goes.', input: { type: 'object' }, effect: 'read', run });
  return createSignalbox({ timeoutMs, servers: [localServer({ name: 't', tools: [go] })] });
}

const form = {
  mode: 'form',
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;

test('a handler elicits input, samples the caller’s model, lists its roots and sends it log messages', async (t) => {
  const box = await boxWith(async (_, { client }) => {
    client?.log?.({ level: 'notice', data: 'about to ask' });
    const answer = await client?.elicit?.(form);
    const sample = await client?.sample?.({ messages: [], maxTokens: 1 });
    return { answer: answer ?? null, sample: sample ?? null, roots: [...((await client?.roots?.()) ?? [])] };
  });
  t.after(() => box.close());
  const logged: unknown[] = [];
  const client: CallClient = {
    elicit: ({ message }) => ({ action: 'accept', content: { name: `Ada, asked ${message}` } }),
    sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'hm' } }),
    roots: () => [{ uri: 'file:///here' }],
    log: (message) => void logged.push(message),
  };
  const { structuredContent } = await box.call('mcp__t__go', {}, { client });
  assert.deepEqual(structuredContent, {
    answer: { action: 'accept', content: { name: 'Ada, asked Who are you?' } },
    sample: { role: 'assistant', model: 'none', content: { type: 'text', text: 'hm' } },
    roots: [{ uri: 'file:///here' }],
  });
  assert.deepEqual(logged, [{ level: 'notice', data: 'about to ask' }]);
  const nobody = await box.call('mcp__t__go');
  assert.deepEqual(nobody.structuredContent, { answer: null, sample: null, roots: [] });
});

test('an invalid answer rejects the elicitation', async (t) => {
  const box = await boxWith((_, { client }) => client?.elicit?.(form));
  t.after(() => box.close());
  const answers: readonly [unknown, RegExp][] = [
    [{ action: 'accept', content: {} }, /"name" is missing/],
    [{ action: 'accept', content: { name: 5 } }, /\$\.name must be string/],
    [{ action: 'accept', content: 'Ada' }, /content of the answer is not an object/],
    [{ action: 'perhaps' }, /has no "action"/],
    [undefined, /not JSON/],
  ];
  for (const [answer, expected] of answers) {
    const result = await box.call('mcp__t__go', {}, { client: { elicit: () => answer as never } });
    assert.equal(result.outcome, 'failed');
    assert.match(result.error.message, expected);
  }
});

test('questions pause the timeout of the tool, in sequence or in parallel; afterwards it still applies', async (t) => {
  const box = await boxWith(async ({ hangs }, { client }) => {
    const { elicit } = client ?? {};
    assert.ok(elicit);
    await Promise.all([elicit(form), elicit(form)]);
    await elicit(form);
    if (hangs === true) await wait(60_000, undefined, { ref: false });
    return 'done';
  }, 300);
  t.after(() => box.close());
  const client: CallClient = {
    async elicit() {
      await wait(500);
      return { action: 'accept', content: { name: 'Ada' } };
    },
  };
  assert.equal((await box.call('mcp__t__go', {}, { client })).outcome, 'completed');
  assert.equal((await box.call('mcp__t__go', { hangs: true }, { client })).outcome, 'timed-out');
});

test('after the call, questions are rejected, log messages are dropped, and a pending answer is ignored', async (t) => {
  let late: ToolContext['client'];
  const box = await boxWith(async (_, { client }) => {
    late = client;
    await client?.elicit?.(form);
    return 'answered';
  });
  t.after(() => box.close());
  const stop = new AbortController();
  const events: string[] = [];
  const client: CallClient = {
    async elicit(_, { signal }) {
      signal.addEventListener('abort', () => events.push('withdrawn'));
      stop.abort();
      await wait(10);
      events.push('answered too late');
      return { action: 'accept', content: { name: 'Ada' } };
    },
    log: () => void events.push('logged'),
  };
  const result = await box.call('mcp__t__go', {}, { client, signal: stop.signal });
  assert.equal(result.outcome, 'cancelled');
  late?.log?.({ level: 'info', data: 'anybody?' });
  await assert.rejects(late?.elicit?.(form) ?? Promise.resolve(), /the call has ended/);
  await wait(50);
  assert.deepEqual(events, ['withdrawn', 'answered too late']);
});

test('a result that depends on an answer is not cached', async (t) => {
  const run: Run = async ({ asks }, { client }) => (asks === true ? await client?.elicit?.(form) : 'plain');
  const go = defineTool({ name: 'go', description: 'Goes.', input: { type: 'object' }, effect: 'read', run });
  const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [go], cacheMs: 60_000 })] });
  t.after(() => box.close());
  for (const name of ['Ada', 'Grace']) {
    const client: CallClient = { elicit: () => ({ action: 'accept', content: { name } }) };
    const { structuredContent } = await box.call('mcp__t__go', { asks: true }, { client });
    assert.deepEqual(structuredContent, { action: 'accept', content: { name } });
  }
});
