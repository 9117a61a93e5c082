import type { Runtime } from '../runtime.ts';
import { turnStream } from '../turn-stream.ts';
import type { ModelRuntimeOptions } from './model-runtime-options.ts';

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
        const { drive } = await import('./model-turn.ts');
        await drive(turn, settings, signal, tell);
      }),
    async sample(request, options) {
      const { sample } = await import('./sampling.ts');
      return sample(typeof settings === 'function' ? await settings() : settings, request, options);
    },
    close: () => Promise.resolve(),
  };
}
