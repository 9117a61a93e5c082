import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { document, picture, openShopBox } from '../../../test/support/boxes/shop-server.ts';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { anthropicTools, geminiTools, openaiTools } from './index.ts';

const manual =
  '[resource shop://hint]\nPress the button.\n[audio audio/wav, 1 KB: cannot be shown here]\n[resource shop://more: more]';
const denied = /cannot be undone|needs an approval|nobody/i;

describe('anthropicTools', () => {
  test('runs the calls of a response through the pipeline and returns tool_result blocks in order', async (t) => {
    const box = await openShopBox(t);
    const { tools, call } = anthropicTools(box);
    assert.deepEqual(tools[0], {
      name: 'mcp__shop__price',
      description: 'The price of something.',
      input_schema: box.tools()[0]?.inputSchema,
    });
    const results = await call([
      { type: 'text' },
      { type: 'tool_use', id: '1', name: 'mcp__shop__price', input: { item: 'pen' } },
      { type: 'tool_use', id: '2', name: 'mcp__shop__photo', input: {} },
      { type: 'tool_use', id: '3', name: 'mcp__shop__manual', input: {} },
    ]);
    assert.deepEqual(results, [
      { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: '{"price":3,"currency":"EUR"}' }] },
      {
        type: 'tool_result',
        tool_use_id: '2',
        content: [
          { type: 'text', text: 'Here it is:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
        ],
      },
      {
        type: 'tool_result',
        tool_use_id: '3',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: document } },
          { type: 'text', text: '[resource shop://hint]\nPress the button.' },
          { type: 'text', text: '[audio audio/wav, 1 KB: cannot be shown here]' },
          { type: 'text', text: '[resource shop://more: more]' },
        ],
      },
    ]);
    assert.equal((await box.journal.calls()).items.length, 3);
  });

  test('returns an error for a call that is denied, fails, names an unknown tool or has invalid arguments', async (t) => {
    const box = await openShopBox(t);
    const results = await anthropicTools(box).call([
      { type: 'tool_use', id: '1', name: 'mcp__shop__order', input: { item: 'pen' } },
      { type: 'tool_use', id: '2', name: 'mcp__shop__broken', input: {} },
      { type: 'tool_use', id: '3', name: 'mcp__shop__prize', input: {} },
      { type: 'tool_use', id: '4', name: 'mcp__shop__price', input: 'pen' },
      { type: 'tool_use', id: '5', name: 'mcp__shop__price', input: { item: 7 } },
    ]);
    assert.ok(results.every(({ is_error, content }) => is_error === true && content.length === 1));
    const texts = results.map(({ content: [only] }) => (only?.type === 'text' ? only.text : ''));
    assert.match(texts[0] ?? '', denied);
    assert.match(texts[1] ?? '', /the till is stuck/);
    assert.match(texts[2] ?? '', /did you mean "mcp__shop__price"/);
    assert.match(texts[3] ?? '', /are not valid JSON .*; send one JSON object/);
    assert.match(texts[4] ?? '', /\$\.item/);
  });
});

describe('openaiTools', () => {
  test('returns messages of role tool for the tool_calls of a chat; media is described', async (t) => {
    const { call } = openaiTools(await openShopBox(t), { api: 'chat' });
    const messages = await call([
      { id: '1', type: 'function', function: { name: 'mcp__shop__price', arguments: '{"item":"pen"}' } },
      { id: '2', type: 'function', function: { name: 'mcp__shop__photo', arguments: '' } },
      { id: '3', type: 'function', function: { name: 'mcp__shop__price', arguments: '{"item":' } },
      { id: '4', type: 'custom' },
    ]);
    assert.deepEqual(messages.slice(0, 2), [
      { role: 'tool', tool_call_id: '1', content: '{"price":3,"currency":"EUR"}' },
      { role: 'tool', tool_call_id: '2', content: 'Here it is:\n[image image/png, 1 KB: cannot be shown here]' },
    ]);
    const problem = JSON.parse(messages[2]?.content ?? '') as { outcome: string; error: string };
    assert.equal(problem.outcome, 'failed');
    assert.match(problem.error, /^the arguments of mcp__shop__price are not valid JSON \(.*\); send one JSON object$/);
    assert.equal(messages.length, 3);
    assert.deepEqual(await call(undefined), []);
  });

  test('returns function_call_output items for a response, with images and documents', async (t) => {
    const { call } = openaiTools(await openShopBox(t), { api: 'responses' });
    const item = (name: string): { type: string; call_id: string; name: string; arguments: string } => ({
      type: 'function_call',
      call_id: name,
      name: `mcp__shop__${name}`,
      arguments: '{}',
    });
    const [photo, guide, order] = await call([{ type: 'reasoning' }, item('photo'), item('manual'), item('order')]);
    assert.deepEqual(photo, {
      type: 'function_call_output',
      call_id: 'photo',
      output: [
        { type: 'input_text', text: 'Here it is:' },
        { type: 'input_image', image_url: `data:image/png;base64,${picture}`, detail: 'auto' },
      ],
    });
    assert.deepEqual(guide?.output[0], {
      type: 'input_file',
      filename: 'result.pdf',
      file_data: `data:application/pdf;base64,${document}`,
    });
    assert.ok(typeof order?.output === 'string');
    assert.match(order.output, /^\{"outcome":"failed","error":"the arguments/);
  });

  test('in strict mode, removes the nulls that represent omitted arguments', async (t) => {
    const box = await openShopBox(t);
    const { tools, call } = openaiTools(box, { api: 'responses', strict: true });
    assert.equal(tools[0]?.strict, true);
    assert.deepEqual(tools[0].parameters['required'], ['item', 'currency']);
    const args = JSON.stringify({ item: 'pen', currency: null });
    const [result] = await call([{ type: 'function_call', call_id: '1', name: 'mcp__shop__price', arguments: args }]);
    assert.equal(result?.output, '{"price":3,"currency":"EUR"}');
  });
});

describe('geminiTools', () => {
  test('returns functionResponse parts, with media inside or beside them', async (t) => {
    const box = await openShopBox(t);
    const { tools, call } = geminiTools(box);
    assert.deepEqual(tools[0]?.functionDeclarations[0], {
      name: 'mcp__shop__price',
      description: 'The price of something.',
      parametersJsonSchema: box.tools()[0]?.inputSchema,
    });
    const parts = [
      {},
      { functionCall: { id: 'a', name: 'mcp__shop__price', args: { item: 'pen' } } },
      { functionCall: { name: 'mcp__shop__photo' } },
      { functionCall: { name: 'mcp__shop__broken', args: {} } },
    ];
    const inlineData = { mimeType: 'image/png', data: picture };
    const [price, photo, broken] = await call(parts);
    assert.deepEqual(price, {
      functionResponse: { id: 'a', name: 'mcp__shop__price', response: { output: { price: 3, currency: 'EUR' } } },
    });
    const response = { name: 'mcp__shop__photo', response: { output: 'Here it is:' } };
    assert.deepEqual(photo, { functionResponse: { ...response, parts: [{ inlineData }] } });
    assert.match(JSON.stringify(broken), /"response":\{"error":"[^"]*the till is stuck/);
    const beside = await geminiTools(box, { media: 'beside' }).call([parts[2] ?? {}]);
    assert.deepEqual(beside, [{ functionResponse: response }, { inlineData }]);
    const [guide] = await geminiTools(box, { media: 'beside' }).call([{ functionCall: { name: 'mcp__shop__manual' } }]);
    assert.deepEqual(guide, { functionResponse: { name: 'mcp__shop__manual', response: { output: manual } } });
  });

  test('accepts the catalog’s name of a tool with a long name, and finds the tool by it', async (t) => {
    const box = await createSignalbox({
      servers: [testSource('long', [testTool('x'.repeat(200), { run: () => 'found' })])],
      builtin: false,
    });
    t.after(() => box.close());
    const { tools, warnings, call } = geminiTools(box);
    const name = tools[0]?.functionDeclarations[0]?.name ?? '';
    assert.equal(name, box.tools()[0]?.name);
    assert.deepEqual(warnings, []);
    assert.match(JSON.stringify(await call([{ functionCall: { name } }])), /"output":"found"/);
  });

  test('declares nothing for a box without tools', async (t) => {
    const box = await createSignalbox({ builtin: false });
    t.after(() => box.close());
    assert.deepEqual(geminiTools(box).tools, []);
  });
});

describe('the tools of any provider', () => {
  test('are built once for each version of the catalog, in a new array for each caller', async (t) => {
    const box = await openShopBox(t);
    const [first] = anthropicTools(box).tools;
    const other = anthropicTools(box);
    other.tools.length = 0;
    assert.equal(anthropicTools(box).tools[0], first);
    box.servers.disable('shop');
    assert.deepEqual(anthropicTools(box).tools, []);
    box.servers.enable('shop');
    assert.equal(anthropicTools(box).tools.length, 5);
  });

  test('are pinned: a call of a tool that changed since it was listed is stale, and does not run', async (t) => {
    const source = testSource('a', [testTool('t', { run: () => 'old' })]);
    const box = await createSignalbox({ servers: [source], builtin: false });
    t.after(() => box.close());
    const { call } = anthropicTools(box);
    source.change({ tools: [testTool('t', { description: 'Something else.', run: () => 'new' })] });
    const use = { type: 'tool_use', id: '1', name: 'mcp__a__t', input: {} };
    const [stale] = await call([use]);
    assert.equal(stale?.is_error, true);
    assert.match(JSON.stringify(stale.content), /has changed since it was listed/);
    const [now] = await anthropicTools(box).call([use]);
    assert.deepEqual(now?.content, [{ type: 'text', text: 'new' }]);
  });

  test('have the options of the tool for that provider only', async (t) => {
    const providerOptions = {
      anthropic: { cacheControl: { type: 'ephemeral' } },
      openai: { strict: true, deferLoading: true },
      google: { behavior: 'NON_BLOCKING' },
    };
    const box = await createSignalbox({
      servers: [testSource('a', [testTool('t', { providerOptions })])],
      builtin: false,
    });
    t.after(() => box.close());
    const [anthropic] = anthropicTools(box).tools;
    assert.deepEqual(
      { ...anthropic, input_schema: {} },
      {
        name: 'mcp__a__t',
        description: 'Does t.',
        input_schema: {},
        cache_control: { type: 'ephemeral' },
      },
    );
    const [openai] = openaiTools(box, { api: 'responses' }).tools;
    assert.deepEqual(
      { ...openai, parameters: {} },
      {
        type: 'function',
        name: 'mcp__a__t',
        description: 'Does t.',
        parameters: {},
        strict: true,
        defer_loading: true,
      },
    );
    assert.equal(openaiTools(box, { api: 'chat' }).tools[0]?.function.strict, true);
    assert.match(JSON.stringify(geminiTools(box).tools), /"behavior":"NON_BLOCKING"/);
  });

  test('options for OpenAI under "function" are put where each API has them', async (t) => {
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const providerOptions = { openai: { function: { strict: true, deferLoading: true }, allowedCallers: ['direct'] } };
    const box = await createSignalbox({
      servers: [testSource('a', [testTool('t', { inputSchema, providerOptions })])],
      builtin: false,
    });
    t.after(() => box.close());
    const parameters = { ...inputSchema, additionalProperties: false };
    const described = { name: 'mcp__a__t', description: 'Does t.' };
    assert.deepEqual(openaiTools(box, { api: 'chat' }).tools, [
      {
        allowed_callers: ['direct'],
        type: 'function',
        function: { defer_loading: true, ...described, parameters, strict: true },
      },
    ]);
    assert.deepEqual(openaiTools(box, { api: 'responses' }).tools, [
      { allowed_callers: ['direct'], defer_loading: true, type: 'function', ...described, parameters, strict: true },
    ]);
  });

  test('a schema that does not compile is replaced by an open object, with a warning', async (t) => {
    const inputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/missing' }, b: { pattern: '(' } } };
    const box = await createSignalbox({ servers: [testSource('a', [testTool('t', { inputSchema })])], builtin: false });
    t.after(() => box.close());
    const written = [
      anthropicTools(box, { strict: true }),
      openaiTools(box, { api: 'chat', strict: true }),
      openaiTools(box, { api: 'responses', strict: true }),
      geminiTools(box),
    ];
    for (const { tools, warnings } of written) {
      assert.doesNotMatch(JSON.stringify(tools), /missing|pattern/);
      assert.match(warnings[0]?.message ?? '', /schema does not compile .*sent as an open object/);
    }
  });

  test('calls have the session, principal and signal of their options, and run once per id with `oncePerId`', async (t) => {
    let runs = 0;
    const count = defineTool({
      name: 'count',
      description: 'Counts.',
      input: z.object({}),
      effect: 'read',
      run: (_, { session, principal }) => `${++runs} ${session} ${principal.id}`,
    });
    const box = await createSignalbox({ servers: [localServer({ name: 'a', tools: [count] })], builtin: false });
    t.after(() => box.close());
    const { call } = openaiTools(box, { api: 'chat' });
    const calls = [{ id: 'x', function: { name: 'mcp__a__count', arguments: '{}' } }];
    const options = { session: 's', principal: { id: 'ada', kind: 'human' }, oncePerId: true } as const;
    assert.equal((await call(calls, options))[0]?.content, '1 s ada');
    assert.equal((await call(calls, options))[0]?.content, '1 s ada');
    assert.equal((await call(calls, { ...options, session: 'other' }))[0]?.content, '2 other ada');
    assert.equal((await call(calls))[0]?.content, '3 undefined local');
    const [cancelled] = await call(calls, { signal: AbortSignal.abort() });
    assert.match(cancelled?.content ?? '', /^\{"outcome":"cancelled"/);
  });
});
