import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type MessagesRequest,
  toModelInput,
  startMessagesServer,
} from '../../../../test/support/model/messages-server.ts';
import type { ModelBlock, ModelScript } from '../../../../test/support/model/model-script.ts';
import { type OpenAIRequest, startOpenAIApi } from '../../../../test/support/model/openai-api.ts';
import { scriptedModel } from '../../../../test/support/model/scripted-model.ts';
import { runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../../test/support/runtime/suite-box.ts';
import { transformServer } from '../../../catalog/transforms/transform-server.ts';
import type { JsonSchema } from '../../../core/json/json.ts';
import { localServer } from '../../../sources/local/local-server.ts';
import { modelRuntime } from '../model-runtime.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { at: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] } },
  required: ['at'],
  additionalProperties: false,
};

const use = (name: string, input: object, raw?: string): ModelBlock => ({
  type: 'tool_use',
  name,
  input,
  ...(raw === undefined ? {} : { raw }),
});
const once =
  (...blocks: readonly ModelBlock[]): ModelScript =>
  ({ results }) =>
    results.length === 0 ? blocks : [{ type: 'text', text: results.map(({ text }) => text).join(' | ') }];

describe('requests to providers', () => {
  let box: SuiteBox;
  before(async () => {
    box = await openSuiteBox();
    const camera = localServer({ name: 'camera' });
    camera.add({
      name: 'shoot',
      description: 'Takes a picture.',
      input: schema,
      effect: 'read',
      run: () => ({
        content: [
          { type: 'text', text: 'a picture' },
          { type: 'image', data: pixel, mimeType: 'image/png' },
        ],
      }),
    });
    const providerOptions = { openai: { strict: true }, anthropic: { cacheControl: { type: 'ephemeral' } } };
    box.box.servers.add(transformServer(camera, (tool) => ({ ...tool, providerOptions })));
  });
  after(() => box.close());

  const shoot = once(use('mcp__camera__shoot', { at: 'noon' }));

  async function viaAnthropic(): Promise<readonly MessagesRequest[]> {
    const api = await startMessagesServer((request) => shoot(toModelInput(request)));
    const providers = { anthropic: { apiKey: 'k', baseURL: `${api.url}/v1` } };
    await runTurn(modelRuntime({ model: 'anthropic/m', providers }), box, 'shoot');
    await api.close();
    return api.requests;
  }

  async function viaOpenAI(api: 'chat' | 'responses'): Promise<readonly OpenAIRequest[]> {
    const server = await startOpenAIApi(shoot);
    const providers = { openai: { apiKey: 'k', baseURL: server.url, api } };
    await runTurn(modelRuntime({ model: 'openai/m', providers }), box, 'shoot');
    await server.close();
    return server.requests;
  }

  test('contain the schema of a tool unchanged', async () => {
    const [first] = await viaAnthropic();
    const tool = first?.tools?.find(({ name }) => name === 'mcp__camera__shoot') as
      | { input_schema?: unknown }
      | undefined;
    assert.deepEqual(tool?.input_schema, schema);
  });

  test('contain the options of a tool for that provider', async () => {
    const [anthropic] = await viaAnthropic();
    const cached = anthropic?.tools?.filter((tool) => 'cache_control' in tool).map(({ name }) => name);
    assert.deepEqual(cached, ['mcp__camera__shoot']);
    const [chat] = await viaOpenAI('chat');
    const strict = chat?.tools?.filter((tool) => tool.function?.strict === true).map((tool) => tool.function?.name);
    assert.deepEqual(strict, ['mcp__camera__shoot']);
    const [responses] = await viaOpenAI('responses');
    assert.deepEqual(
      responses?.tools?.filter((tool) => tool.strict === true).map(({ name }) => name),
      ['mcp__camera__shoot'],
    );
  });

  test('enable prompt caching for Anthropic', async () => {
    const requests = await viaAnthropic();
    assert.deepEqual(
      requests.map((request) => 'cache_control' in request && request.cache_control),
      [{ type: 'ephemeral' }, { type: 'ephemeral' }],
    );
  });

  test('return the signed or encrypted thinking of the model with the next step', async (t) => {
    const thinking = once({ type: 'thinking', text: 'hm' }, use('mcp__suite__add', { a: 1, b: 1 }));
    const messages = await startMessagesServer((request) => thinking(toModelInput(request)));
    const openai = await startOpenAIApi(thinking);
    t.after(() => Promise.all([messages.close(), openai.close()]));
    const providers = {
      anthropic: { apiKey: 'k', baseURL: `${messages.url}/v1` },
      openai: { apiKey: 'k', baseURL: openai.url },
    };
    const runtime = modelRuntime({ providers });
    await runTurn(runtime, box, 'think', { model: 'anthropic/m' });
    assert.match(JSON.stringify(messages.requests[1]), /"thinking":"hm","signature":"scripted"/);
    await runTurn(runtime, box, 'think', { model: 'openai/gpt-5' });
    assert.match(JSON.stringify(openai.requests[1]), /"encrypted_content":"sealed"/);
  });

  test('store nothing at OpenAI', async () => {
    const requests = await viaOpenAI('responses');
    assert.deepEqual(
      requests.map(({ store }) => store),
      [false, false],
    );
    assert.ok(!JSON.stringify(requests).includes('item_reference'));
  });

  test('contain an image of a result if the provider accepts it, or else a label', async () => {
    assert.match(JSON.stringify((await viaAnthropic())[1]), new RegExp(`"type":"image".*${pixel.slice(0, 40)}`));
    assert.match(JSON.stringify((await viaOpenAI('responses'))[1]), new RegExp(`input_image.*${pixel.slice(0, 40)}`));
    const chat = JSON.stringify((await viaOpenAI('chat'))[1]);
    assert.match(chat, /a picture\\n\[image image\/png\]/);
    assert.ok(!chat.includes(pixel.slice(0, 40)));
  });

  for (const [problem, call, outcome, message] of [
    ['a call of an unknown tool', use('mcp__suite__ad', { a: 1 }), 'denied', /did you mean \\?"mcp__suite__add/],
    ['a call with arguments that are not JSON', use('mcp__suite__add', {}, '{"a": 1,'), 'failed', /arguments/],
    ['a call with arguments that are not an object', use('mcp__suite__add', {}, '[1, 2]'), 'failed', /arguments/],
  ] as const) {
    test(`${problem} is refused by the pipeline and recorded`, async () => {
      const session = `odd ${problem}`;
      const runtime = modelRuntime({
        chooseModel: (name) => ({ name, provider: name, model: scriptedModel(once(call)), acceptsImages: false }),
      });
      const { results, text, reason } = await runTurn(runtime, box, 'go', { session });
      assert.deepEqual([results[0]?.outcome, reason], [outcome, 'end']);
      assert.match(text, message);
      const { items } = await box.box.journal.calls({ session });
      assert.deepEqual(
        items.map((item) => item.type === 'ToolInvoked' && item.outcome),
        [outcome],
      );
    });
  }
});
