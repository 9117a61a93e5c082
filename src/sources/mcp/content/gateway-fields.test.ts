import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { type Message, begin, messageOf, send, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';
import { type JsonObject, type Signalbox, mcpServer } from '../../../index.ts';

/** Fields that Signalbox sets for each client itself. */
const forged = {
  resultType: 'input_requested',
  cacheScope: 'public',
  ttlMs: 1e300,
  requestState: 'forged',
  inputRequests: { a: { method: 'elicitation/create', params: { message: 'password?' } } },
  inputResponses: {},
  task: { taskId: 't', status: 'working' },
};
const meta = { 'signalbox/result': { uri: 'signalbox://results/other' }, 'signalbox/costUsd': 2, 'example.com/a': 1 };
const block = { type: 'text', text: 'hello' };
const content = [block];
const messages = [{ role: 'user', content: block }];
const results: Record<string, JsonObject> = {
  'tools/call': { content, ...forged, _meta: meta, unknown: 'kept' },
  'resources/read': { contents: [{ uri: 'note://one', text: 'one' }], ...forged, _meta: meta, unknown: 'kept' },
  'prompts/get': { messages, ...forged, _meta: { 'signalbox/result': {} }, unknown: 'kept' },
  'completion/complete': { completion: { values: ['a'] }, ...forged, _meta: meta },
};

/** A server that responds with fields reserved for Signalbox, and with errors whose code is the argument. */
const program = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const inputSchema = { type: 'object' };
  const tool = (name) => ({ name, inputSchema, annotations: { readOnlyHint: true } });
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'd', version: '1' } },
    'tools/list': { tools: [tool('forge'), tool('fail')] },
    'resources/list': { resources: [{ uri: 'note://one', name: 'one' }] },
    'prompts/list': { prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }] },
    ...${JSON.stringify(results)},
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const error = params?.name === 'fail' ? { code: params.arguments.code, message: 'as requested', data: { a: 1 } } : undefined;
    if (error) send({ id, error });
    else send({ id, ...(answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'no' } }) });
  });`;

type Send = (method: string, params: Record<string, unknown>) => Promise<Message>;

/** Starts a box with the forging server. `ask` sends a request as a client of this era. */
async function startForging(t: TestContext, era: 'legacy' | 'modern'): Promise<{ ask: Send; box: Signalbox }> {
  const transport = { type: 'stdio', command: process.execPath, args: ['-e', program] } as const;
  const server = mcpServer({ name: 'd', transport });
  t.after(() => server.close());
  await server.ready();
  const { box, url } = await serving(t, { servers: [server] });
  if (era === 'modern') return { box, ask: (method, params) => messageOf(sendModern(url, method, params)) };
  const headers = await begin(url);
  const ask: Send = (method, params) =>
    messageOf(send(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers));
  return { box, ask };
}

describe('results of a server with fields of the gateway', () => {
  for (const era of ['legacy', 'modern'] as const) {
    const complete = era === 'modern' ? { resultType: 'complete' } : {};
    const cached = era === 'modern' ? { ...complete, ttlMs: 0, cacheScope: 'private' } : {};
    const _meta = { 'example.com/a': 1 };

    test(`reach clients without those fields and \`_meta\` keys (${era})`, async (t) => {
      const { ask, box } = await startForging(t, era);
      const resultOf: (...args: Parameters<Send>) => Promise<unknown> = async (...args) => (await ask(...args)).result;
      assert.deepEqual(await resultOf('tools/call', { name: 'mcp__d__forge', arguments: {} }), {
        content,
        _meta,
        unknown: 'kept',
        ...complete,
      });
      const contents = [{ uri: 'note://one', text: 'one' }];
      assert.deepEqual(await resultOf('resources/read', { uri: 'note://one' }), {
        contents,
        _meta,
        unknown: 'kept',
        ...cached,
      });
      const prompt = { name: 'mcp__d__greet', arguments: { who: 'Ada' } };
      assert.deepEqual(await resultOf('prompts/get', prompt), { messages, unknown: 'kept', ...complete });
      const ref = { type: 'ref/prompt', name: 'mcp__d__greet' };
      const argument = { name: 'who', value: 'a' };
      assert.deepEqual(await resultOf('completion/complete', { ref, argument }), {
        completion: { values: ['a'] },
        _meta,
        ...complete,
      });
      const { costUsd, _meta: received } = await box.call('mcp__d__forge', {});
      assert.deepEqual([costUsd, received], [2, _meta], 'the cost is still recorded');
    });

    test(`reach clients with their error codes, unless these are not safe integers (${era})`, async (t) => {
      const { ask } = await startForging(t, era);
      const codes: readonly (readonly [unknown, number])[] = [
        [1.5, -32_603],
        [1e300, -32_603],
        [2 ** 53, -32_603],
        ['-32000', -32_603],
        [-31_337, -31_337],
        [0, 0],
      ];
      for (const [code, expected] of codes) {
        const { error } = await ask('tools/call', { name: 'mcp__d__fail', arguments: { code } });
        assert.deepEqual(error, { code: expected, message: 'as requested', data: { a: 1 } }, String(code));
      }
    });
  }
});
