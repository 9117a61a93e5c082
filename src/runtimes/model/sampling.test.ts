import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ModelApi } from '../../../test/support/model/api-server.ts';
import type { ModelScript } from '../../../test/support/model/model-script.ts';
import { type OpenAIRequest, startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import type { SamplingAnswer, SamplingRequest } from '../../core/calls/call-client.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { modelRuntime } from './model-runtime.ts';

const { signal } = new AbortController();
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function request(messages: readonly JsonValue[], rest: object = {}): SamplingRequest {
  return { messages, maxTokens: 100, ...rest };
}

const userMessage = (text: string): JsonValue => ({ role: 'user', content: { type: 'text', text } });

async function sample(
  script: ModelScript,
  given: SamplingRequest,
  limits = {},
): Promise<{ readonly answer: SamplingAnswer; readonly sent: Readonly<Record<string, unknown>> }> {
  const api: ModelApi<OpenAIRequest> = await startOpenAIApi(script);
  const runtime = modelRuntime({ providers: { openai: { apiKey: 'k', baseURL: api.url, api: 'chat' } }, limits });
  try {
    const answer = await runtime.sample?.(given, { model: 'openai/m', signal });
    assert.ok(answer !== undefined);
    return { answer, sent: api.requests[0] as Readonly<Record<string, unknown>> };
  } finally {
    await api.close();
  }
}

describe('a sampling request', () => {
  test('is sent to the model unchanged, without anything else', async () => {
    const given = request([userMessage('Why is the sky blue?')], {
      systemPrompt: 'Be brief.',
      temperature: 0.25,
      stopSequences: ['END'],
      includeContext: 'allServers',
      modelPreferences: { hints: [{ name: 'other' }] },
    });
    const { answer, sent } = await sample(() => [{ type: 'text', text: 'Scattering.' }], given);
    assert.deepEqual(answer, {
      role: 'assistant',
      model: 'openai/m',
      content: { type: 'text', text: 'Scattering.' },
      stopReason: 'endTurn',
    });
    assert.deepEqual(sent['messages'], [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why is the sky blue?' },
    ]);
    assert.deepEqual(
      [sent['temperature'], sent['stop'], sent['max_tokens'] ?? sent['max_completion_tokens']],
      [0.25, ['END'], 100],
    );
    assert.equal(sent['tools'], undefined);
  });

  test('is limited by the answerTokens of the agent', async () => {
    const { sent } = await sample(() => [{ type: 'text', text: 'ok' }], request([userMessage('hi')]), {
      answerTokens: 7,
    });
    assert.equal(sent['max_tokens'] ?? sent['max_completion_tokens'], 7);
  });

  test('offers the tools of the server, and returns their calls to it', async () => {
    const tools = [{ name: 'look_up', description: 'Looks up.', inputSchema: { type: 'object', properties: {} } }];
    const first = await sample(
      () => [{ type: 'tool_use', name: 'look_up', input: { word: 'sky' } }],
      request([userMessage('Look it up.')], { tools, toolChoice: { mode: 'required' } }),
    );
    assert.equal(first.sent['tool_choice'], 'required');
    assert.equal(first.answer['stopReason'], 'toolUse');
    const use = first.answer.content as { type: string; id: string; name: string; input: JsonObject };
    assert.deepEqual([use.type, use.name, use.input], ['tool_use', 'look_up', { word: 'sky' }]);
    const results = [{ type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text: 'blue' }] }];
    const messages = [
      userMessage('Look it up.'),
      { role: 'assistant', content: [use] },
      { role: 'user', content: results },
    ];
    const second = await sample(
      ({ results: received }) => [{ type: 'text', text: `found ${received[0]?.text}` }],
      request(messages, { tools }),
    );
    assert.deepEqual(second.answer.content, { type: 'text', text: 'found blue' });
  });

  test('may contain images, as data only', async () => {
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
    ];
    const { sent } = await sample(() => [{ type: 'text', text: 'A pixel.' }], request([{ role: 'user', content }]));
    assert.match(JSON.stringify(sent), new RegExp(`data:image/png;base64,${pixel.slice(0, 20)}`));
    const address = [{ type: 'image', data: 'http://127.0.0.1:1/secret', mimeType: 'image/png' }];
    const rejected = sample(() => [{ type: 'text', text: 'ok' }], request([{ role: 'user', content: address }]));
    await assert.rejects(rejected, /openai\/m failed: Invalid character/);
  });

  test('is rejected with the reason when it is malformed or the model refuses it', async () => {
    const odd = request([{ role: 'user', content: { type: 'video' } }]);
    await assert.rejects(
      sample(() => [], odd),
      /cannot be sent to a model: "video"/,
    );
    await assert.rejects(
      sample(() => [], request([{ role: 'system', content: [] }])),
      /messages\[0\]\.role/,
    );
    const refused = sample(() => ({ status: 401, message: 'no key' }), request([userMessage('hi')]));
    await assert.rejects(refused, /openai\/m answered 401/);
  });

  test('is answered by the demo model without a key', async () => {
    const answer = await modelRuntime().sample?.(request([userMessage('hello')]), { model: 'demo', signal });
    assert.match(JSON.stringify(answer?.content), /I am the demo model/);
  });
});
