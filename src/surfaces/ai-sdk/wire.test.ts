import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type LanguageModel, generateText, isStepCount } from 'ai';
import { startScriptedHttp } from '../../../test/support/http/scripted-http.ts';
import { openShopBox } from '../../../test/support/boxes/shop-server.ts';
import type { Signalbox } from '../../signalbox/signalbox.ts';
import { anthropicTools, geminiTools, openaiTools } from '../providers/index.ts';
import { type AiSdkOptions, aiSdkTools } from './index.ts';

const apiKey = 'dummy';

/**
 * Runs the providers' own packages against a scripted model that calls `photo` and `broken` in parallel. Their requests must
 * equal those that `signalbox/providers` builds.
 */
describe('requests of the AI SDK', () => {
  const names = ['mcp__shop__photo', 'mcp__shop__broken'];
  const run = (box: Signalbox, model: LanguageModel, provider?: AiSdkOptions['provider']): Promise<{ text: string }> =>
    generateText({
      model,
      prompt: 'go',
      tools: aiSdkTools(box, provider === undefined ? {} : { provider }),
      toolOrder: box.tools().map(({ name }) => name),
      stopWhen: isStepCount(3),
      maxRetries: 0,
    });

  test('Anthropic: tools and results equal those that its package sends', async (t) => {
    const box = await openShopBox(t);
    const message = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'x',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const content = names.map((name, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input: {} }));
    const api = await startScriptedHttp(t, [
      { ...message, content, stop_reason: 'tool_use' },
      { ...message, content: [{ type: 'text', text: 'done' }], stop_reason: 'end_turn' },
    ]);
    const { text } = await run(box, createAnthropic({ baseURL: api.url, apiKey })('claude-sonnet-4-5'), 'anthropic');
    assert.equal(text, 'done');
    const [first, second] = api.requests.map(
      ({ body }) => body as { tools: unknown; messages: { content: unknown[] }[] },
    );
    const { tools, call } = anthropicTools(box);
    assert.deepEqual(first?.tools, tools);
    const [photo, broken] = await call(content);
    const [sentPhoto, sentBroken] = second?.messages.at(-1)?.content ?? [];
    assert.deepEqual(sentPhoto, photo);
    // An error with a single text block is sent as plain text, which is equivalent.
    assert.deepEqual(sentBroken, { ...broken, content: textOf(broken?.content[0]) });
  });

  const chatModels: Readonly<Record<string, (baseURL: string) => LanguageModel>> = {
    'OpenAI, chat': (baseURL) => createOpenAI({ baseURL, apiKey }).chat('gpt-5'),
    'OpenAI-compatible': (baseURL) => createOpenAICompatible({ name: 'local', baseURL, apiKey })('some-model'),
  };
  for (const [title, model] of Object.entries(chatModels)) {
    test(`${title}: tools equal those that its package sends, and results reach the model`, async (t) => {
      const box = await openShopBox(t);
      const tool_calls = names.map((name, index) => ({
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: '{}' },
      }));
      const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'x' };
      const api = await startScriptedHttp(t, [
        {
          ...completion,
          choices: [
            { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' },
          ],
        },
        {
          ...completion,
          choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
        },
      ]);
      assert.equal((await run(box, model(api.url), 'openai')).text, 'done');
      const [first, second] = api.requests.map(
        ({ body }) => body as { tools: unknown; messages: { role: string; tool_call_id?: string; content: string }[] },
      );
      const { tools, call } = openaiTools(box, { api: 'chat' });
      assert.deepEqual(first?.tools, tools);
      const sent = second?.messages.filter(({ role }) => role === 'tool') ?? [];
      const ours = await call(tool_calls);
      assert.deepEqual(
        sent.map(({ tool_call_id }) => tool_call_id),
        ours.map(({ tool_call_id }) => tool_call_id),
      );
      assert.match(sent[1]?.content ?? '', /the till is stuck/);
    });
  }

  test('OpenAI, responses: tools and results equal those that its package sends', async (t) => {
    const box = await openShopBox(t);
    const output = names.map((name, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: `call_${index}`,
      name,
      arguments: '{}',
      status: 'completed',
    }));
    const response = {
      id: 'r',
      object: 'response',
      created_at: 1,
      model: 'x',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const done = { type: 'output_text', text: 'done', annotations: [] };
    const api = await startScriptedHttp(t, [
      { ...response, output },
      { ...response, output: [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [done] }] },
    ]);
    assert.equal(
      (await run(box, createOpenAI({ baseURL: api.url, apiKey }).responses('gpt-5'), 'openai')).text,
      'done',
    );
    const [first, second] = api.requests.map(
      ({ body }) => body as { tools: unknown; input: { type?: string; output?: unknown }[] },
    );
    const { tools, call } = openaiTools(box, { api: 'responses' });
    assert.deepEqual(first?.tools, tools);
    const [photo, broken] = await call(output);
    const [sentPhoto, sentBroken] = second?.input.filter(({ type }) => type === 'function_call_output') ?? [];
    // The package omits the detail of an image, so the API uses its default.
    assert.deepEqual(sentPhoto, JSON.parse(JSON.stringify(photo).replace(',"detail":"auto"', '')));
    assert.match(String(sentBroken?.output), /"error":".*the till is stuck/);
    assert.match(JSON.stringify(broken), /error.*the till is stuck/);
  });

  test('Gemini: tools equal those that its package sends, and results are in the same place', async (t) => {
    const box = await openShopBox(t);
    const parts = names.map((name) => ({ functionCall: { name, args: {} }, thoughtSignature: 'signed' }));
    const api = await startScriptedHttp(t, [
      { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] },
      { candidates: [{ content: { role: 'model', parts: [{ text: 'done' }] }, finishReason: 'STOP' }] },
    ]);
    assert.equal(
      (await run(box, createGoogle({ baseURL: api.url, apiKey })('gemini-3-pro-preview'), 'google')).text,
      'done',
    );
    const [first, second] = api.requests.map(
      ({ body }) => body as { tools: unknown; contents: { parts: SentPart[] }[] },
    );
    const { tools, call } = geminiTools(box);
    assert.deepEqual(first?.tools, tools);
    const [photo, broken] = (await call(parts)) as SentPart[];
    const [sentPhoto, sentBroken] = second?.contents.at(-1)?.parts ?? [];
    assert.deepEqual(sentPhoto?.functionResponse.parts, photo?.functionResponse.parts);
    assert.equal(sentPhoto?.functionResponse.name, photo?.functionResponse.name);
    assert.match(String(sentBroken?.functionResponse.response['error']), /the till is stuck/);
    assert.match(String(broken?.functionResponse.response['error']), /the till is stuck/);
  });
});

interface SentPart {
  readonly functionResponse: {
    readonly name: string;
    readonly response: Readonly<Record<string, unknown>>;
    readonly parts?: unknown;
  };
}

function textOf(block: object | undefined): unknown {
  return block !== undefined && 'text' in block ? block.text : undefined;
}
