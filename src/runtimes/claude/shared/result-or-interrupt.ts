import { setTimeout as wait } from 'node:timers/promises';
import type { TurnResult } from './claude-event-mapper.ts';

const longestFarewellMs = 3000;

/** Waits for the result of a turn. Once it is interrupted, for a little while only: long enough to write down what was said. */
export async function resultOrInterrupt(
  result: Promise<TurnResult>,
  signal: AbortSignal,
  interrupt: () => Promise<unknown>,
): Promise<TurnResult | 'interrupted'> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const first = await Promise.race([result, aborted.promise.then(() => 'interrupted' as const)]);
    if (first !== 'interrupted') return first;
    const farewell = new AbortController();
    const late = wait(longestFarewellMs, undefined, { signal: farewell.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all([interrupt(), result]).catch(() => undefined), late]);
    farewell.abort();
    return 'interrupted';
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
