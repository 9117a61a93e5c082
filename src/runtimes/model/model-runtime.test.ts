import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startMessagesServer, heardInMessages } from '../../../test/support/messages-server.ts';
import { startGeminiApi } from '../../../test/support/model/gemini-api.ts';
import { startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import { scriptedModel } from '../../../test/support/model/scripted-model.ts';
import { type ToldTurn, runTurn } from '../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../test/support/runtime/suite-box.ts';
import { type StartScripted, runtimeConformance } from '../runtime.conformance.ts';
import { modelRuntime } from './model-runtime.ts';
import type { ProviderSettings } from './model-options.ts';

/** The runtime with a provider's real package and a local API. */
function provided(
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
  'Anthropic messages': provided(
    'anthropic/scripted',
    (script) => startMessagesServer((request) => script(heardInMessages(request))),
    (url) => ({ baseURL: `${url}/v1` }),
  ),
  'OpenAI responses': provided('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
  'OpenAI chat': provided('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL, api: 'chat' })),
  'OpenAI-compatible': provided('mine/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
  Gemini: provided('google/scripted', startGeminiApi, (baseURL) => ({ baseURL })),
};

for (const [name, start] of Object.entries(drivers)) {
  const thinks = name !== 'OpenAI chat'; // that API does not report thinking
  runtimeConformance(`model, ${name}`, { question: 'ask_user', thinks, seesChanges: 'step' }, start);

  describe(`an answer that is not whole, ${name}`, () => {
    const call = { type: 'tool_use', name: 'mcp__suite__note', input: { text: 'half an answer' } } as const;
    let box: SuiteBox;
    before(async () => {
      box = await openSuiteBox();
    });
    after(() => box.close());

    async function told(end: 'drop' | 'cut'): Promise<ToldTurn> {
      const scripted = await start(({ said }) =>
        said.length > 1 ? [{ type: 'text', text: 'whole' }] : [{ type: 'text', text: 'I begin ' }, call, { type: end }],
      );
      const turn = await runTurn(scripted.runtime, box, 'go');
      const next = await runTurn(scripted.runtime, box, 'again', { memory: turn.memory ?? null });
      assert.equal(next.text, 'whole', 'the next turn goes on');
      await scripted.close();
      return turn;
    }

    test('because the connection broke is an error, and the calls in it are not made', async () => {
      const { reason, errors, text } = await told('drop');
      assert.deepEqual([reason, errors.length, text], ['error', 1, 'I begin ']);
      assert.deepEqual(box.notes, []);
    });

    test('because the model may not say more is a limit, and the calls in it are not made', async () => {
      const { reason, errors, results } = await told('cut');
      assert.deepEqual([reason, errors[0]?.code], ['limit', 'turn-limit']);
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['cancelled'],
      );
      assert.deepEqual(box.notes, []);
    });
  });
}
