import type { JsonObject } from '../../core/json/json.ts';
import type { TurnLimits } from './turn-budget.ts';

/** Settings of a provider that differ from its defaults. */
export interface ProviderSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of OpenAI's APIs is used (default `responses`). */
  readonly api?: 'responses' | 'chat';
  /** Provider options of each request, by the names of the provider's package: `{ "thinking": { "type": "adaptive" } }`. */
  readonly options?: JsonObject;
}

/** Options of a model runtime that need no types of the AI SDK, which is an optional dependency. */
export interface ModelOptions {
  /** The model of turns that name none: `provider/model`, or `demo`, which needs no key. */
  readonly model?: string;
  /** The settings of providers, by name. Any other name with a `baseURL` is an endpoint with OpenAI's chat API. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly limits?: TurnLimits;
  /** Instructions before those of each turn. */
  readonly instructions?: string;
  /** The maximum size of the conversation between turns, in characters (default 400,000). The oldest turns are dropped first. */
  readonly memoryCharacters?: number;
}
