import type { Runtime } from '../runtime.ts';
import { turnStream } from '../turn-stream.ts';
import type { ChosenModel, ProviderSettings } from './providers/choose-model.ts';
import type { TurnLimits } from './turn-budget.ts';

/**
 * Drives turns with any model of the AI SDK. The SDK and the provider's package are loaded with the first turn.
 *
 * @example
 * const runtime = modelRuntime({ model: 'openai/gpt-5', limits: { steps: 20 } });
 */
export function modelRuntime(settings: ModelRuntimeOptions | (() => Promise<ModelRuntimeOptions>) = {}): Runtime {
  return {
    name: 'model',
    turn: (turn) =>
      turnStream(turn.signal, async (tell, signal) => {
        const { runModelTurn } = await import('./model-turn.ts');
        await runModelTurn(turn, settings, signal, tell);
      }),
    async sample(request, options) {
      const { runSampling } = await import('./sampling.ts');
      return runSampling(typeof settings === 'function' ? await settings() : settings, request, options);
    },
    close: () => Promise.resolve(),
  };
}

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
