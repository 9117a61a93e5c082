import { AsyncQueue } from '../core/async/async-queue.ts';
import type { TurnEvent } from './runtime.ts';

/**
 * Runs a driver and yields the events that it tells, in order. Throws the driver's error after them. `signal` is aborted with the
 * turn's own signal, and when the reader stops reading.
 */
export async function* turnStream(
  interrupt: AbortSignal,
  drive: (tell: (event: TurnEvent) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<TurnEvent, void, undefined> {
  const abandoned = new AbortController();
  const events = new AsyncQueue<TurnEvent>();
  drive((event) => events.push(event), AbortSignal.any([interrupt, abandoned.signal])).then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events;
  } finally {
    abandoned.abort(new DOMException('nobody reads the turn any more', 'AbortError'));
  }
}
