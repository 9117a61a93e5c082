import type { TurnLimits } from './turn-budget.ts';
import type { ChosenModel } from './providers/choose-model.ts';
import type { ProviderSettings } from './providers/providers.ts';

/** How turns are driven by models. */
export interface ModelRuntimeOptions {
  /** The model of turns that name none: `provider/model`, or `demo`, which needs no key. */
  readonly model?: string;
  /** How providers are reached, by name. A name of your own with a `baseURL` is an endpoint that speaks OpenAI's chat API. */
  readonly providers?: Readonly<Record<string, ProviderSettings>>;
  readonly limits?: TurnLimits;
  /** What the agent is told before what each turn tells it. */
  readonly instructions?: string;
  /** The most that is remembered between turns, in characters (400,000); the oldest turns are forgotten first. */
  readonly memoryCharacters?: number;
  /** A language model of your own for a name; `undefined` leaves the name to the providers. */
  readonly chooseModel?: (name: string) => ChosenModel | undefined;
}
