import { AsyncQueue } from '../core/async/async-queue.ts';
import type { TurnEvent } from './runtime.ts';

/**
 * Runs a turn and yields the events that it emits, in order. Throws its error after them. `signal` is aborted with the turn's own signal, and
 * when the consumer stops reading.
 */
export async function* turnStream(
  interrupt: AbortSignal,
  run: (emit: (event: TurnEvent) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<TurnEvent, void, undefined> {
  const abandoned = new AbortController();
  const events = new AsyncQueue<TurnEvent>();
  run((event) => events.push(event), AbortSignal.any([interrupt, abandoned.signal])).then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events;
  } finally {
    abandoned.abort(new DOMException('the turn is no longer read', 'AbortError'));
  }
}
