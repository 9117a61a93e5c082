import type { TurnEvent } from './runtime.ts';

/**
 * Turns what a driver tells, from wherever it tells it, into the events of a turn, in order. Whoever stops reading early
 * stops the driver: `signal` is aborted with the turn's own signal or with the reading.
 */
export async function* turnStream(
  interrupt: AbortSignal,
  drive: (tell: (event: TurnEvent) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<TurnEvent, void, undefined> {
  const abandoned = new AbortController();
  const waiting: TurnEvent[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  const driving = drive(
    (event) => {
      if (over) return;
      waiting.push(event);
      wake?.();
    },
    AbortSignal.any([interrupt, abandoned.signal]),
  ).finally(() => {
    over = true;
    wake?.();
  });
  // Awaited below; until then a rejection must not count as unhandled.
  driving.catch(() => undefined);
  try {
    for (;;) {
      const told = waiting.splice(0);
      yield* told;
      if (told.length > 0) continue;
      if (over) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    await driving;
  } finally {
    abandoned.abort(new DOMException('nobody reads the turn any more', 'AbortError'));
  }
}
