import type { Runtime } from './runtime.ts';

/** A runtime whose code is loaded when it is first needed: not every server holds sessions with every kind of agent. */
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
