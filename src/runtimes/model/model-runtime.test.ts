import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startMessagesServer, toModelInput } from '../../../test/support/model/messages-server.ts';
import { startGeminiApi } from '../../../test/support/model/gemini-api.ts';
import { startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import { scriptedModel } from '../../../test/support/model/scripted-model.ts';
import { type TurnResult, runTurn } from '../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../test/support/runtime/suite-box.ts';
import { type StartScripted, runtimeConformance } from '../runtime.conformance.ts';
import { modelRuntime } from './model-runtime.ts';
import type { ProviderSettings } from './model-options.ts';

/** Returns the runtime with the real package of a provider and a local API. */
function withProvider(
  model: string,
  startApi: (script: Parameters<StartScripted>[0]) => Promise<{ readonly url: string; close(): Promise<void> }>,
  settings: (url: string) => ProviderSettings,
): StartScripted {
  return async (script) => {
    const api = await startApi(script);
    const provider = model.slice(0, model.indexOf('/'));
    const runtime = modelRuntime({ model, providers: { [provider]: { apiKey: 'none', ...settings(api.url) } } });
    return { runtime, close: () => api.close() };
  };
}

const drivers: Readonly<Record<string, StartScripted>> = {
  'in this process': (script) =>
    Promise.resolve({
      runtime: modelRuntime({
        model: 'scripted',
        chooseModel: (name) => ({ name, provider: name, model: scriptedModel(script), acceptsImages: false }),
      }),
      close: () => Promise.resolve(),
    }),
  'Anthropic messages': withProvider(
    'anthropic/scripted',
    (script) => startMessagesServer((request) => script(toModelInput(request))),
    (url) => ({ baseURL: `${url}/v1` }),
  ),
  'OpenAI responses': withProvider('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
  'OpenAI chat': withProvider('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL, api: 'chat' })),
  'OpenAI-compatible': withProvider('mine/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
  Gemini: withProvider('google/scripted', startGeminiApi, (baseURL) => ({ baseURL })),
};

for (const [name, start] of Object.entries(drivers)) {
  const thinks = name !== 'OpenAI chat'; // that API does not report thinking
  runtimeConformance(`model, ${name}`, { question: 'ask_user', thinks, seesChanges: 'step' }, start);

  describe(`an incomplete answer (${name})`, () => {
    const call = { type: 'tool_use', name: 'mcp__suite__note', input: { text: 'incomplete' } } as const;
    let box: SuiteBox;
    before(async () => {
      box = await openSuiteBox();
    });
    after(() => box.close());

    async function turnEndingWith(end: 'drop' | 'cut'): Promise<TurnResult> {
      const scripted = await start(({ userMessages }) =>
        userMessages.length > 1
          ? [{ type: 'text', text: 'complete' }]
          : [{ type: 'text', text: 'Begin ' }, call, { type: end }],
      );
      const turn = await runTurn(scripted.runtime, box, 'go');
      const next = await runTurn(scripted.runtime, box, 'again', { memory: turn.memory ?? null });
      assert.equal(next.text, 'complete', 'the next turn continues');
      await scripted.close();
      return turn;
    }

    test('is an error when the connection breaks, and its calls do not run', async () => {
      const { reason, errors, text } = await turnEndingWith('drop');
      assert.deepEqual([reason, errors.length, text], ['error', 1, 'Begin ']);
      assert.deepEqual(box.notes, []);
    });

    test('ends the turn at a limit when the model reaches its output limit, and its calls do not run', async () => {
      const { reason, errors, results } = await turnEndingWith('cut');
      assert.deepEqual([reason, errors[0]?.code], ['limit', 'turn-limit']);
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['cancelled'],
      );
      assert.deepEqual(box.notes, []);
    });
  });
}
