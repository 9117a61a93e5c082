import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { errorOf } from '../../core/errors.ts';
import { SlotMap } from '../../core/async/slot-map.ts';
import type { AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import type { CallClock } from './call-clock.ts';
import type { Call } from '../call-lifecycle.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';

/** Why a wait ended before what was waited for came. */
export type Ended = 'cancelled' | 'timed-out' | 'closed';

/** What came of a wait. */
export type Waited<Value> = { readonly value: Value } | { readonly ended: Ended };

// Node's timers overflow above this and would fire at once.
const longestTimer = 2_147_483_647;

/** Until when is waited: a moment, one that may still move, or for as long as it takes. */
type Deadline = number | CallClock | undefined;

/** One wait. */
class Wait {
  readonly deadline: Deadline;
  /** Among all; none when it is over. */
  place: number | undefined;
  readonly #signal: AbortSignalLike | undefined;
  readonly #onEnd: ((ended: Ended) => void) | undefined;
  readonly #onOver: (wait: Wait) => void;
  #resolve: ((waited: Waited<never>) => void) | undefined;

  constructor(
    signal: AbortSignalLike | undefined,
    deadline: Deadline,
    onEnd: ((ended: Ended) => void) | undefined,
    onOver: (wait: Wait) => void,
  ) {
    this.deadline = deadline;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#onOver = onOver;
  }

  for<Value>(promise: PromiseLike<Value>): Promise<Waited<Value>> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      promise.then(
        (value) => {
          this.#over();
          resolve({ value });
        },
        (error: unknown) => {
          this.#over();
          reject(errorOf(error));
        },
      );
      if (this.#signal?.aborted === true) this.handleEvent();
      else this.#signal?.addEventListener('abort', this, { once: true });
    });
  }

  end(ended: Ended): void {
    this.#over();
    this.#onEnd?.(ended);
    this.#resolve?.({ ended });
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.end('cancelled');
  }

  #over(): void {
    if (typeof this.deadline === 'object') this.deadline.onMove = undefined;
    this.#signal?.removeEventListener('abort', this);
    this.#onOver(this);
  }
}

/** Everything that calls wait for, so that all waits can be ended when the box closes. */
export class Waits {
  readonly #waits = new SlotMap<Wait>();
  // One timer for all: a timer for each wait would cost every call, and most calls end long before their deadline.
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  #timed = 0;

  /**
   * Waits for a promise, no longer than the caller's signal, the deadline and the box allow. `onEnd` hears of an early end
   * before the waiter does. What the promise does afterwards is ignored.
   */
  until<Value>(
    promise: PromiseLike<Value>,
    signal: AbortSignalLike | undefined,
    deadline: Deadline,
    onEnd?: (ended: Ended) => void,
  ): Promise<Waited<Value>> {
    const wait = new Wait(signal, deadline, onEnd, this.#remove);
    this.#add(wait);
    if (typeof deadline === 'object') deadline.onMove = () => this.#watch(wait);
    return wait.for(promise);
  }

  /** Ends every wait there is. */
  endAll(): void {
    for (const wait of this.#waits) wait.end('closed');
  }

  #add(wait: Wait): void {
    wait.place = this.#waits.add(wait);
    if (wait.deadline === undefined) return;
    this.#timed += 1;
    if (this.#timed === 1) this.#timer?.ref();
    this.#watch(wait);
  }

  readonly #remove = (wait: Wait): void => {
    if (wait.place === undefined) return;
    this.#waits.remove(wait.place);
    wait.place = undefined;
    if (wait.deadline === undefined) return;
    this.#timed -= 1;
    // A timer that nobody needs any more must not keep the process alive.
    if (this.#timed === 0) this.#timer?.unref();
  };

  /** Sees to it that the timer fires in time. It may fire too early, and then looks when it has to fire next. */
  #watch(wait: Wait): void {
    const at = endOf(wait);
    if (at >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(0, at - Date.now()), longestTimer));
  }

  readonly #fire = (): void => {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = Date.now();
    const due: Wait[] = [];
    for (const wait of this.#waits) {
      if (endOf(wait) <= now) due.push(wait);
      else this.#watch(wait);
    }
    // A timer that is late finds several: they end in the order of their deadlines all the same.
    for (const wait of due.toSorted((one, other) => endOf(one) - endOf(other))) wait.end('timed-out');
  };
}

/** When a wait ends; never, where it has no deadline. */
function endOf({ deadline }: Wait): number {
  if (deadline === undefined) return Number.POSITIVE_INFINITY;
  return typeof deadline === 'number' ? deadline : deadline.end;
}

/** The outcome of a call that ended early while it was doing `what`. */
export function endedOutcome(call: Call, ended: Ended, what: string): CallOutcome {
  switch (ended) {
    case 'cancelled':
      return failedOutcome('cancelled', 'caller-cancelled', `${call.name} was cancelled by its caller while ${what}`);
    case 'closed':
      return failedOutcome(
        'cancelled',
        'box-closed',
        `${call.name} was cancelled while ${what}, because Signalbox is closing`,
      );
    case 'timed-out':
      return failedOutcome(
        'timed-out',
        'deadline-exceeded',
        `${call.name} ran out of time after ${Date.now() - call.startedAt} ms while ${what}`,
      );
  }
}
