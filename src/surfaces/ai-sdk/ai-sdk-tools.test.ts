import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModel, generateText, isStepCount } from 'ai';
import { type ScriptedRequest, startScriptedHttp } from '../../../test/support/http/scripted-http.ts';
import { picture, openShopBox } from '../../../test/support/boxes/shop-server.ts';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { CallFailedError, aiSdkSteps, aiSdkTools } from './index.ts';

/** A scripted model that calls these tools, one per step, and then returns "done". */
async function modelThatCalls(
  t: TestContext,
  ...names: readonly string[]
): Promise<{ readonly model: LanguageModel; readonly requests: readonly ScriptedRequest[] }> {
  const answer = (message: object, finish_reason: string): object => ({
    id: 'c',
    created: 1,
    model: 'x',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  });
  const { url, requests } = await startScriptedHttp(t, [
    ...names.map((name, index) =>
      answer(
        { content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: { name, arguments: '{}' } }] },
        'tool_calls',
      ),
    ),
    answer({ content: 'done' }, 'stop'),
  ]);
  return { model: createOpenAICompatible({ name: 'local', baseURL: url, apiKey: 'dummy' })('some-model'), requests };
}

const settings = { prompt: 'go', stopWhen: isStepCount(5), maxRetries: 0 } as const;

describe('aiSdkTools', () => {
  test('run through the box: recorded, with session and principal, and the whole result in the step', async (t) => {
    const box = await openShopBox(t);
    const { model } = await modelThatCalls(t, 'mcp__shop__photo');
    const tools = aiSdkTools(box, { session: 's1', principal: { id: 'ada', kind: 'agent' } });
    const { steps } = await generateText({ ...settings, model, tools });
    const [result] = steps[0]?.toolResults ?? [];
    assert.equal((result?.output as { outcome: string } | undefined)?.outcome, 'completed');
    const [entry] = (await box.journal.calls()).items;
    assert.ok(entry?.type === 'ToolInvoked');
    assert.equal(entry.sessionId, 's1');
    assert.equal(entry.principal.id, 'ada');
    assert.deepEqual(
      await tools['mcp__shop__photo']?.toModelOutput?.({ toolCallId: '', input: {}, output: result?.output }),
      {
        type: 'content',
        value: [
          { type: 'text', text: 'Here it is:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture } },
        ],
      },
    );
  });

  test('turn a denied or failed call into a tool error, whose reason the model reads', async (t) => {
    const box = await openShopBox(t, { approve: () => ({ allow: false, reason: 'not today' }) });
    const source = testSource('a', [testTool('pay', { effect: 'irreversible' })]);
    box.servers.add(source);
    const { model, requests } = await modelThatCalls(t, 'mcp__a__pay', 'mcp__shop__broken');
    const { steps, text } = await generateText({ ...settings, model, tools: aiSdkTools(box) });
    assert.equal(text, 'done');
    const errors = steps.flatMap(({ content }) => content).filter((part) => part.type === 'tool-error');
    const [denied, failed] = errors.map(({ error }) => error);
    assert.ok(denied instanceof CallFailedError && denied.result.outcome === 'denied');
    assert.ok(failed instanceof CallFailedError && failed.result.outcome === 'failed');
    assert.match(JSON.stringify(requests[1]?.body), /not today/);
    assert.match(JSON.stringify(requests[2]?.body), /the till is stuck/);
  });

  test('cancel the call when the run is stopped', async (t) => {
    const stop = new AbortController();
    const wait = testTool('wait', {
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
          stop.abort();
        }),
    });
    const box = await createSignalbox({ servers: [testSource('a', [wait])], builtin: false });
    t.after(() => box.close());
    const { model } = await modelThatCalls(t, 'mcp__a__wait');
    await generateText({ ...settings, model, tools: aiSdkTools(box), abortSignal: stop.signal }).catch(() => undefined);
    const [entry] = (await box.journal.calls()).items;
    assert.equal(entry?.type === 'ToolInvoked' && entry.outcome, 'cancelled');
  });

  test('follow the catalog before each step with aiSdkSteps', async (t) => {
    const later = testSource('later', [testTool('two', { run: () => 'second' })]);
    const first = testSource('first', [
      testTool('one', {
        run: () => {
          box.servers.add(later);
          box.servers.disable('first');
          return 'mounted';
        },
      }),
    ]);
    const box = await createSignalbox({ servers: [first], builtin: false });
    t.after(() => box.close());
    const { model, requests } = await modelThatCalls(t, 'mcp__first__one', 'mcp__later__two');
    const { text, steps } = await generateText({ ...settings, model, ...aiSdkSteps(box) });
    assert.equal(text, 'done');
    assert.match(JSON.stringify(steps[1]?.toolResults[0]?.output), /second/);
    const listed = requests.map(({ body }) =>
      (body as { tools: { function: { name: string } }[] }).tools.map((tool) => tool.function.name),
    );
    assert.deepEqual(listed, [['mcp__first__one'], ['mcp__later__two'], ['mcp__later__two']]);
  });

  test('use the format of the named provider, and pass on provider options', async (t) => {
    const inputSchema = { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] };
    const providerOptions = { openai: { strict: true } };
    const box = await createSignalbox({
      servers: [testSource('a', [testTool('t', { inputSchema, providerOptions })])],
      builtin: false,
    });
    t.after(() => box.close());
    const [any, openai] = [aiSdkTools(box), aiSdkTools(box, { provider: 'openai' })].map((set) => set['mcp__a__t']);
    assert.deepEqual((any?.inputSchema as { jsonSchema: object } | undefined)?.jsonSchema, {
      type: 'object',
      ...inputSchema,
    });
    assert.equal(any?.strict, undefined);
    assert.deepEqual(any?.providerOptions, providerOptions);
    assert.equal(openai?.strict, true);
    assert.deepEqual((openai.inputSchema as { jsonSchema: { required: string[] } }).jsonSchema.required, ['a']);
  });
});
