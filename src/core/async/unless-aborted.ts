import { messageOf } from '../errors.ts';
import type { StopSignal } from './light-abort-signal.ts';

/** Does something, and waits for it until the signal: what comes after goes nowhere, and this rejects with the signal's reason. */
export async function unlessAborted<Value>(work: () => Value, signal: StopSignal): Promise<Awaited<Value>> {
  if (signal.aborted) throw reasonOf(signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(reasonOf(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Why a signal was aborted, as an error. */
export function reasonOf({ reason }: Pick<StopSignal, 'reason'>): Error {
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
