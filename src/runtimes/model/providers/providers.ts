import type { LanguageModel } from 'ai';
import type { JsonObject } from '../../../core/json/json.ts';

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
  readonly key?: string;
  /** The name under which tools keep options for it. */
  readonly options: string;
  /** What it takes with each request unless the settings say otherwise. */
  readonly usual?: JsonObject;
  /** Whether it takes images in tool results. */
  images(settings: ProviderSettings): boolean;
  /** Loads the package; it is an optional one. */
  open(settings: ProviderSettings): Promise<(model: string) => Exclude<LanguageModel, string>>;
}

/** The providers that need no more than a key. */
export const knownProviders: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: '@ai-sdk/anthropic',
    key: 'ANTHROPIC_API_KEY',
    options: 'anthropic',
    // Each step repeats the conversation: without this it is paid for in full each time.
    usual: { cacheControl: { type: 'ephemeral' } },
    images: () => true,
    async open(settings) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const provider = createAnthropic(reachedBy(settings));
      return (model) => provider(model);
    },
  },
  openai: {
    package: '@ai-sdk/openai',
    key: 'OPENAI_API_KEY',
    options: 'openai',
    // The conversation is remembered here: it must not depend on what OpenAI keeps, and for how long.
    usual: { store: false },
    images: ({ api }) => api !== 'chat',
    async open({ api, ...settings }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI(reachedBy(settings));
      return (model) => (api === 'chat' ? provider.chat(model) : provider.responses(model));
    },
  },
  google: {
    package: '@ai-sdk/google',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    options: 'google',
    images: () => true,
    async open(settings) {
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
    options: name,
    images: () => false,
    async open(settings) {
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
