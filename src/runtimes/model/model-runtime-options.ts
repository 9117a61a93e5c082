import type { ProviderSettings, ChosenModel } from './providers/choose-model.ts';
import type { TurnLimits } from './turn-budget.ts';

/** Options of `modelRuntime`. */
export interface ModelRuntimeOptions {
  /** The model of turns that name none: `provider/model`, or `demo`, which needs no key. */
  readonly model?: string;
  /** The settings of providers, by name. Any other name with a `baseURL` is an endpoint with OpenAI's chat API. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly limits?: TurnLimits;
  /** Instructions before those of each turn. */
  readonly instructions?: string;
  /** The maximum size of the conversation between turns, in characters (default 400,000). The oldest turns are dropped first. */
  readonly memoryCharacters?: number;
  /** A language model of your own for a name; `undefined` leaves the name to the providers. */
  readonly chooseModel?: (name: string) => ChosenModel | undefined;
}
