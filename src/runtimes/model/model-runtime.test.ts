import { startMessagesServer, heardInMessages } from '../../../test/support/messages-server.ts';
import { startGeminiApi } from '../../../test/support/model/gemini-api.ts';
import { startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import { scriptedModel } from '../../../test/support/model/scripted-model.ts';
import { type RuntimeTraits, type StartScripted, runtimeConformance } from '../runtime.conformance.ts';
import { modelRuntime } from './model-runtime.ts';
import type { ProviderSettings } from './providers.ts';

const traits: RuntimeTraits = { question: 'ask_user', thinks: true, seesChanges: 'step' };

/** The runtime with a provider's real package, at an API of this machine. */
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

runtimeConformance('model, in this process', traits, (script) =>
  Promise.resolve({
    runtime: modelRuntime({
      model: 'scripted',
      chooseModel: (name) => ({ name, provider: name, model: scriptedModel(script), images: false }),
    }),
    close: () => Promise.resolve(),
  }),
);

runtimeConformance(
  'model, Anthropic messages',
  traits,
  provided(
    'anthropic/scripted',
    (script) => startMessagesServer((request) => script(heardInMessages(request))),
    (url) => ({
      baseURL: `${url}/v1`,
    }),
  ),
);

runtimeConformance(
  'model, OpenAI responses',
  traits,
  provided('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
);

runtimeConformance(
  'model, OpenAI chat',
  { ...traits, thinks: false },
  provided('openai/scripted', startOpenAIApi, (baseURL) => ({ baseURL, api: 'chat' })),
);

runtimeConformance(
  'model, OpenAI-compatible',
  traits,
  provided('mine/scripted', startOpenAIApi, (baseURL) => ({ baseURL })),
);

runtimeConformance(
  'model, Gemini',
  traits,
  provided('google/scripted', startGeminiApi, (baseURL) => ({ baseURL })),
);
