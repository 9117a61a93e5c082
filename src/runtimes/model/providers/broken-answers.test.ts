import assert from 'node:assert/strict';
import { type TestContext, after, before, describe, test } from 'node:test';
import { toModelInput, startMessagesServer } from '../../../../test/support/model/messages-server.ts';
import { startGeminiApi } from '../../../../test/support/model/gemini-api.ts';
import type { ModelBlock, ModelScript } from '../../../../test/support/model/model-script.ts';
import { startOpenAIApi } from '../../../../test/support/model/openai-api.ts';
import { type TurnResult, runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../../test/support/runtime/suite-box.ts';
import { testSource, testTool } from '../../../../test/support/boxes/test-source.ts';
import { modelRuntime } from '../model-runtime.ts';
import type { ProviderSettings } from '../model-options.ts';

/** A local provider API with scripted responses, and the settings to connect to it. */
type Api = (script: ModelScript) => Promise<{
  readonly model: string;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly requests: readonly object[];
  close(): Promise<void>;
}>;

const key = { apiKey: 'k' };
const apis: Readonly<Record<string, Api>> = {
  Anthropic: async (script) => {
    const api = await startMessagesServer((request) => script(toModelInput(request)));
    return { ...api, model: 'anthropic/m', providers: { anthropic: { ...key, baseURL: `${api.url}/v1` } } };
  },
  'OpenAI Responses': async (script) => {
    const api = await startOpenAIApi(script);
    return { ...api, model: 'openai/m', providers: { openai: { ...key, baseURL: api.url } } };
  },
  'an OpenAI-compatible API': async (script) => {
    const api = await startOpenAIApi(script);
    return { ...api, model: 'mine/m', providers: { mine: { baseURL: api.url } } };
  },
  Gemini: async (script) => {
    const api = await startGeminiApi(script);
    return { ...api, model: 'google/m', providers: { google: { ...key, baseURL: `${api.url}/v1beta` } } };
  },
};
const add = (raw?: string): ModelBlock => ({
  type: 'tool_use',
  name: 'mcp__suite__add',
  input: { a: 1, b: 2 },
  ...(raw === undefined ? {} : { raw }),
});

let box: SuiteBox;
before(async () => {
  box = await openSuiteBox();
});
after(() => box.close());

for (const [name, start] of Object.entries(apis)) {
  describe(`an answer of ${name}`, () => {
    async function turn(
      t: TestContext,
      script: ModelScript,
    ): Promise<{ result: TurnResult; requests: readonly object[] }> {
      const { model, providers, requests, close } = await start(script);
      t.after(close);
      return { result: await runTurn(modelRuntime({ model, providers }), box, 'go'), requests };
    }

    for (const end of ['drop', 'truncate'] as const) {
      test(`that is cut off (${end}) is an error, and its calls do not run`, async (t) => {
        const { result } = await turn(t, () => [{ type: 'text', text: 'hello there' }, add(), { type: end }]);
        assert.deepEqual([result.reason, result.text], ['error', 'hello there']);
        assert.equal(result.errors[0]?.code, 'model-failed');
        assert.match(result.errors[0].message, /stopped in the middle of its answer|ended without a finish reason/);
        assert.ok(result.results.every(({ outcome }) => outcome === 'cancelled'));
      });
    }

    test('that is empty is an error', async (t) => {
      const { result } = await turn(t, () => [{ type: 'thinking', text: 'hm' }]);
      assert.deepEqual([result.reason, result.errors[0]?.code], ['error', 'model-empty']);
    });

    test('that is refused with a Retry-After above one minute is not retried, and the error has the time', async (t) => {
      const { result, requests } = await turn(t, () => ({
        status: 429,
        message: 'too many requests',
        headers: { 'retry-after': '600' },
      }));
      assert.deepEqual([result.reason, result.errors[0]?.code, requests.length], ['error', 'model-overloaded', 1]);
      assert.match(result.errors[0]?.message ?? '', /too many requests \(try again in 10 minutes\)/);
    });

    // Gemini sends arguments as an object, not as text.
    if (name !== 'Gemini') {
      test('with truncated arguments returns the parse error to the model', async (t) => {
        const { result } = await turn(t, ({ results }) =>
          results.length === 0 ? [add('{"a": 1,')] : [{ type: 'text', text: results[0]?.text ?? '' }],
        );
        assert.equal(result.results[0]?.outcome, 'failed');
        assert.match(result.text, /arguments of mcp__suite__add are not valid JSON \(.*position 8/);
      });
    }

    test('is requested with valid schemas only', async (t) => {
      const inputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/missing' } } };
      box.box.servers.add(testSource('broken', [testTool('t', { inputSchema })]));
      t.after(() => box.box.servers.remove('broken'));
      const { requests } = await turn(t, () => [{ type: 'text', text: 'ok' }]);
      assert.match(JSON.stringify(requests), /mcp__broken__t/);
      assert.doesNotMatch(JSON.stringify(requests), /missing/);
    });
  });
}
