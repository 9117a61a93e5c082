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
      turnStream(turn.signal, async (emit, signal) => {
        const { runModelTurn } = await import('./model-turn.ts');
        await runModelTurn(turn, settings, signal, emit);
      }),
    async sample(request, options) {
      const { runSampling } = await import('./sampling.ts');
      return runSampling(typeof settings === 'function' ? await settings() : settings, request, options);
    },
    close: () => Promise.resolve(),
  };
}

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
