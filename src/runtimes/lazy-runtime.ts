import type { Runtime } from './runtime.ts';

/** Creates a runtime whose code is loaded on first use, because most servers use only some of the runtimes. */
export function lazyRuntime(name: string, load: () => Promise<Runtime>): Runtime {
  let loaded: Promise<Runtime> | undefined;
  const runtime = (): Promise<Runtime> => (loaded ??= load());
  return {
    name,
    async *turn(turn) {
      yield* (await runtime()).turn(turn);
    },
    async transcript(memory, cwd) {
      return await (await runtime()).transcript?.(memory, cwd);
    },
    async close() {
      await (await loaded)?.close();
    },
  };
}
