import { SignalboxError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { LanguageModel } from 'ai';

/** A model, and what the runtime must know about it. */
export interface ChosenModel {
  readonly name: string;
  /** The name under which tools keep options for its provider. */
  readonly provider: string;
  /** The demo model is our own: it answers without the AI SDK. */
  readonly model: Exclude<LanguageModel, string> | 'demo';
  /** What its provider takes with each request. */
  readonly options?: JsonObject;
  /** Whether tool results may hold images. */
  readonly acceptsImages: boolean;
}

/** A model that cannot be used, and what to do about it. */
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
      'is no model name',
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
  // Any other name is one the user gave to an endpoint that speaks OpenAI's language.
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
      // Both are named: neither brings the other along, and one that is there already stays.
      throw new ModelUnusableError(name, problem, `npm install ai ${provider.package}`, error);
    }
  };
  await loaded('ai', () => import('ai'));
  return await loaded(provider.package, () => provider.load(settings));
}

/** How a provider is reached, where it is not as usual. */
export interface ProviderSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of OpenAI's APIs is spoken (`responses`). */
  readonly api?: 'responses' | 'chat';
  /** What the provider's package takes with each request, as it names it: `{ "thinking": { "type": "adaptive" } }`. */
  readonly options?: JsonObject;
}

/** A provider and the package that speaks to it. */
export interface Provider {
  readonly package: string;
  /** The environment variable its key is read from; absent where there may be none. */
  readonly keyVariable?: string;
  /** The name under which tools keep options for it. */
  readonly optionsKey: string;
  /** What it takes with each request unless the settings say otherwise. */
  readonly defaultOptions?: JsonObject;
  /** Whether it takes images in tool results. */
  acceptsImages(settings: ProviderSettings): boolean;
  /** Loads the package; it is an optional one. */
  load(settings: ProviderSettings): Promise<(model: string) => Exclude<LanguageModel, string>>;
}

/** The providers that need no more than a key. */
export const knownProviders: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: '@ai-sdk/anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    optionsKey: 'anthropic',
    // Each step repeats the conversation: without this it is paid for in full each time.
    defaultOptions: { cacheControl: { type: 'ephemeral' } },
    acceptsImages: () => true,
    async load(settings) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const provider = createAnthropic(reachedBy(settings));
      return (model) => provider(model);
    },
  },
  openai: {
    package: '@ai-sdk/openai',
    keyVariable: 'OPENAI_API_KEY',
    optionsKey: 'openai',
    // The conversation is remembered here: it must not depend on what OpenAI keeps, and for how long.
    defaultOptions: { store: false },
    acceptsImages: ({ api }) => api !== 'chat',
    async load({ api, ...settings }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(reachedBy(settings));
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
      const provider = createGoogle(reachedBy(settings));
      return (model) => provider(model);
    },
  },
};

/** An endpoint that speaks OpenAI's chat API, under a name its user gave it. */
export function openAICompatible(name: string, baseURL: string): Provider {
  return {
    package: '@ai-sdk/openai-compatible',
    optionsKey: name,
    acceptsImages: () => false,
    async load(settings) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = createOpenAICompatible({ ...reachedBy(settings), name, baseURL, includeUsage: true });
      return (model) => provider(model);
    },
  };
}

function reachedBy({ apiKey, baseURL, headers }: ProviderSettings): {
  apiKey?: string;
  baseURL?: string;
  headers?: Record<string, string>;
} {
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}
