import { SignalboxError } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { LanguageModel } from 'ai';
import type { ProviderSettings } from '../model-options.ts';

/** A model with its provider's properties. */
export interface ChosenModel {
  readonly name: string;
  /** The key of its provider's options in tools. */
  readonly provider: string;
  /** The demo model is our own: it answers without the AI SDK. */
  readonly model: Exclude<LanguageModel, string> | 'demo';
  /** The provider options of each request. */
  readonly options?: JsonObject;
  /** Whether tool results may hold images. */
  readonly acceptsImages: boolean;
}

/** A model that cannot be used, with the problem and its fix. */
export class ModelUnusableError extends SignalboxError {
  readonly problem: string;
  readonly fix: string;

  constructor(name: string, problem: string, fix: string, cause?: unknown) {
    const what = `model ${JSON.stringify(name)} ${problem}`;
    super('model-unusable', `${what}: ${fix}`, { cause });
    this.problem = what;
    this.fix = fix;
  }
}

/** Finds the model of a name: `demo`, or `provider/model`. */
export async function chooseModel(
  name: string,
  settings: Readonly<Record<string, ProviderSettings>>,
): Promise<ChosenModel> {
  if (name === 'demo') return { name, provider: 'demo', model: 'demo', acceptsImages: false };
  const slash = name.indexOf('/');
  const [provider, id] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
  if (slash < 1 || id === '') {
    throw new ModelUnusableError(
      name,
      'is not a valid model name',
      'write "provider/model", for instance "anthropic/claude-sonnet-4-5", or "demo"',
    );
  }
  const own = settings[provider] ?? {};
  const known = providerOf(name, provider, own);
  if (known.keyVariable !== undefined && !hasKey(known.keyVariable, own)) {
    throw new ModelUnusableError(
      name,
      'needs a key',
      `set ${known.keyVariable} in the environment, or "apiKey" for the provider "${provider}"`,
    );
  }
  const model = (await opened(name, known, own))(id);
  const options = { ...known.defaultOptions, ...own.options };
  return { name, provider: known.optionsKey, model, options, acceptsImages: known.acceptsImages(own) };
}

function providerOf(name: string, provider: string, settings: ProviderSettings): Provider {
  const known = knownProviders[provider];
  if (known !== undefined) return known;
  // Any other name with a `baseURL` is an endpoint with OpenAI's API.
  if (settings.baseURL !== undefined) return openAICompatible(provider, settings.baseURL);
  const names = Object.keys(knownProviders);
  const guess = closestMatch(provider, names);
  throw new ModelUnusableError(
    name,
    `names the provider "${provider}", which is not known${guess === undefined ? '' : ` (did you mean "${guess}"?)`}`,
    `use ${names.join(', ')} or demo, or give "${provider}" a "baseURL" that speaks OpenAI's chat API`,
  );
}

function hasKey(variable: string, { apiKey, headers }: ProviderSettings): boolean {
  return (apiKey ?? process.env[variable] ?? '') !== '' || headers !== undefined;
}

async function opened(name: string, provider: Provider, settings: ProviderSettings): ReturnType<Provider['load']> {
  const loaded = async <Value>(needed: string, load: () => Promise<Value>): Promise<Value> => {
    try {
      return await load();
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      const problem = `needs the package ${needed}, which is not installed`;
      // Names both packages, because neither installs the other.
      throw new ModelUnusableError(name, problem, `npm install ai ${provider.package}`, error);
    }
  };
  await loaded('ai', () => import('ai'));
  return await loaded(provider.package, () => provider.load(settings));
}

/** A provider and its AI SDK package. */
interface Provider {
  readonly package: string;
  /** The environment variable of its key; absent when it needs none. */
  readonly keyVariable?: string;
  /** The name of its options in tools. */
  readonly optionsKey: string;
  /** The default options of each request. */
  readonly defaultOptions?: JsonObject;
  /** Returns whether it accepts images in tool results. */
  acceptsImages(settings: ProviderSettings): boolean;
  /** Loads the package, which is an optional dependency. */
  load(settings: ProviderSettings): Promise<(model: string) => Exclude<LanguageModel, string>>;
}

/** The providers that need no more than a key. */
const knownProviders: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: '@ai-sdk/anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    optionsKey: 'anthropic',
    // Each step repeats the conversation, which would be billed in full without caching.
    defaultOptions: { cacheControl: { type: 'ephemeral' } },
    acceptsImages: () => true,
    async load(settings) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const provider = createAnthropic(connectionSettings(settings));
      return (model) => provider(model);
    },
  },
  openai: {
    package: '@ai-sdk/openai',
    keyVariable: 'OPENAI_API_KEY',
    optionsKey: 'openai',
    // The conversation is stored here, so it must not depend on what OpenAI stores.
    defaultOptions: { store: false },
    acceptsImages: ({ api }) => api !== 'chat',
    async load({ api, ...settings }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(connectionSettings(settings));
      return (model) => (api === 'chat' ? provider.chat(model) : provider.responses(model));
    },
  },
  google: {
    package: '@ai-sdk/google',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    optionsKey: 'google',
    acceptsImages: () => true,
    async load(settings) {
      const { createGoogle } = await import('@ai-sdk/google');
      const provider = createGoogle(connectionSettings(settings));
      return (model) => provider(model);
    },
  },
};

/** Returns the provider of an endpoint with OpenAI's chat API. */
function openAICompatible(name: string, baseURL: string): Provider {
  return {
    package: '@ai-sdk/openai-compatible',
    optionsKey: name,
    acceptsImages: () => false,
    async load(settings) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = createOpenAICompatible({ ...connectionSettings(settings), name, baseURL, includeUsage: true });
      return (model) => provider(model);
    },
  };
}

function connectionSettings({ apiKey, baseURL, headers }: ProviderSettings) {
  return omitUndefined({ apiKey, baseURL, headers: headers && { ...headers } });
}
