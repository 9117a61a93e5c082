import type { CallOutcome } from '../model/call.ts';
import { messageOf } from '../model/errors.ts';
import type { CallClock } from './call-clock.ts';
import type { Call } from './call.ts';
import { unfinished } from '../model/unfinished.ts';

/** Why a wait ended before what was waited for came. */
export type Ended = 'cancelled' | 'timed-out' | 'closed';

/** What came of a wait. */
export type Waited<Value> = { readonly value: Value } | { readonly ended: Ended };

// Node's timers overflow above this and would fire at once.
const longestTimer = 2_147_483_647;

/** Everything that calls wait for, so that all waits can be ended when the box closes. */
export class Waits {
  readonly #ends = new Set<(ended: Ended) => void>();

  /**
   * Waits for a promise, no longer than the caller's signal, the deadline and the box allow. `onEnd` hears of an early end
   * before the waiter does. What the promise does afterwards is ignored.
   */
  until<Value>(
    promise: PromiseLike<Value>,
    signal: AbortSignal | undefined,
    deadline: number | CallClock | undefined,
    onEnd?: (ended: Ended) => void,
  ): Promise<Waited<Value>> {
    return new Promise((resolve, reject) => {
      const end = (ended: Ended): void => {
        cleanUp();
        onEnd?.(ended);
        resolve({ ended });
      };
      const cancel = (): void => end('cancelled');
      let timer = startTimer(end, deadline);
      if (typeof deadline === 'object')
        deadline.onMove = () => {
          clearTimeout(timer);
          timer = startTimer(end, deadline);
        };
      const cleanUp = (): void => {
        clearTimeout(timer);
        if (typeof deadline === 'object') deadline.onMove = undefined;
        this.#ends.delete(end);
        signal?.removeEventListener('abort', cancel);
      };
      this.#ends.add(end);
      signal?.addEventListener('abort', cancel, { once: true });
      promise.then(
        (value) => {
          cleanUp();
          resolve({ value });
        },
        (error: unknown) => {
          cleanUp();
          reject(error instanceof Error ? error : new Error(messageOf(error), { cause: error }));
        },
      );
      if (signal?.aborted === true) cancel();
    });
  }

  /** Ends every wait there is. */
  endAll(): void {
    for (const end of this.#ends) end('closed');
  }
}

function startTimer(end: (ended: Ended) => void, deadline: number | CallClock | undefined): NodeJS.Timeout | undefined {
  if (deadline === undefined) return undefined;
  const at = typeof deadline === 'number' ? deadline : deadline.end;
  return setTimeout(end, Math.min(Math.max(0, at - Date.now()), longestTimer), 'timed-out');
}

/** The outcome of a call that ended early while it was doing `what`. */
export function endedOutcome(call: Call, ended: Ended, what: string): CallOutcome {
  switch (ended) {
    case 'cancelled':
      return unfinished('cancelled', 'caller-cancelled', `${call.name} was cancelled by its caller while ${what}`);
    case 'closed':
      return unfinished(
        'cancelled',
        'box-closed',
        `${call.name} was cancelled while ${what}, because Signalbox is closing`,
      );
    case 'timed-out':
      return unfinished(
        'timed-out',
        'deadline-exceeded',
        `${call.name} ran out of time after ${Date.now() - call.startedAt} ms while ${what}`,
      );
  }
}
