import type { Runtime } from '../runtime.ts';
import { turnStream } from '../turn-stream.ts';
import type { ModelRuntimeOptions } from './model-turn.ts';

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
