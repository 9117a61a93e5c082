/** Returns a deterministic generator of numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The seed of this run: `SIGNALBOX_SEED`, or a new one each time. */
export const runSeed = Number(process.env['SIGNALBOX_SEED'] ?? Date.now() % 1_000_000);
