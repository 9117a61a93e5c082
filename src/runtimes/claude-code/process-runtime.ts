import { messageOf } from '../../model/errors.ts';
import type { Runtime, Turn, TurnEvent } from '../runtime.ts';
import { turnStream } from '../turn-stream.ts';

/** Drives one turn to its end. */
export type Drive = (turn: Turn, signal: AbortSignal, tell: (event: TurnEvent) => void) => Promise<void>;

/** A runtime that keeps nothing between turns; closing it interrupts those under way and waits for their processes. */
export function processRuntime(name: string, drive: Drive): Runtime {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    name,
    turn: (turn) =>
      turnStream(turn.signal, async (tell, signal) => {
        const interrupt = AbortSignal.any([signal, closing.signal]);
        if (interrupt.aborted) {
          tell({ type: 'done', reason: 'interrupted' });
          return;
        }
        const driving = drive(turn, interrupt, tell).catch((error: unknown) => {
          tell({ type: 'error', code: 'runtime-failed', message: messageOf(error) });
          tell({ type: 'done', reason: 'error' });
        });
        running.add(driving);
        await driving.finally(() => running.delete(driving));
      }),
    async close() {
      closing.abort(new DOMException('the runtime is closed', 'AbortError'));
      await Promise.allSettled(running);
    },
  };
}
