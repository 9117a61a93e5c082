import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { SignalboxError, errorOf } from '../../core/errors.ts';
import { SlotMap } from '../../core/async/slot-map.ts';
import type { AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import type { CallClock } from './call-clock.ts';
import type { Call } from '../call-lifecycle.ts';

/** The reason why a wait ended before its promise settled. */
export type CallInterruption = 'cancelled' | 'timed-out' | 'closed';

/** The result of a wait: the value of the promise, or the reason why the wait ended early. */
export type WaitResult<Value> = { readonly value: Value } | { readonly ended: CallInterruption };

// Node's timers overflow above this value and would fire immediately.
const maxTimerMs = 2_147_483_647;

/** The deadline of a wait: a time, a clock whose end may move, or none. */
type Deadline = number | CallClock | undefined;

class Wait {
  readonly deadline: Deadline;
  /** Its slot in `Waits`; `undefined` when the wait is over. */
  slot: number | undefined;
  readonly #signal: AbortSignalLike | undefined;
  readonly #onEnd: ((ended: CallInterruption) => void) | undefined;
  readonly #onOver: (wait: Wait) => void;
  #resolve: ((waited: WaitResult<never>) => void) | undefined;

  constructor(
    signal: AbortSignalLike | undefined,
    deadline: Deadline,
    onEnd: ((ended: CallInterruption) => void) | undefined,
    onOver: (wait: Wait) => void,
  ) {
    this.deadline = deadline;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#onOver = onOver;
  }

  for<Value>(promise: PromiseLike<Value>): Promise<WaitResult<Value>> {
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

  end(ended: CallInterruption): void {
    this.#over();
    this.#onEnd?.(ended);
    this.#resolve?.({ ended });
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.end(this.#signal === undefined ? 'cancelled' : abortedEnd(this.#signal));
  }

  #over(): void {
    if (typeof this.deadline === 'object') this.deadline.onMove = undefined;
    this.#signal?.removeEventListener('abort', this);
    this.#onOver(this);
  }
}

/** All waits of calls, so that they can be ended when the box closes. */
export class Waits {
  readonly #waits = new SlotMap<Wait>();
  // All waits share one timer, because a timer for each would add to the cost of every call, and most calls end long before their deadline.
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  #timed = 0;

  /**
   * Waits for a promise until the signal is aborted, the deadline has passed or the box closes. `onEnd` is called before the wait resolves
   * with an early end. A later result of the promise is ignored.
   */
  until<Value>(
    promise: PromiseLike<Value>,
    signal: AbortSignalLike | undefined,
    deadline: Deadline,
    onEnd?: (ended: CallInterruption) => void,
  ): Promise<WaitResult<Value>> {
    const wait = new Wait(signal, deadline, onEnd, this.#remove);
    this.#add(wait);
    if (typeof deadline === 'object') deadline.onMove = () => this.#watch(wait);
    return wait.for(promise);
  }

  /** Ends every wait. */
  endAll(): void {
    for (const wait of this.#waits) wait.end('closed');
  }

  #add(wait: Wait): void {
    wait.slot = this.#waits.add(wait);
    if (wait.deadline === undefined) return;
    this.#timed += 1;
    if (this.#timed === 1) this.#timer?.ref();
    this.#watch(wait);
  }

  readonly #remove = (wait: Wait): void => {
    if (wait.slot === undefined) return;
    this.#waits.remove(wait.slot);
    wait.slot = undefined;
    if (wait.deadline === undefined) return;
    this.#timed -= 1;
    // An unused timer must not keep the process alive.
    if (this.#timed === 0) this.#timer?.unref();
  };

  /** Ensures that the timer fires in time for a wait. It may fire early, and is then set again. */
  #watch(wait: Wait): void {
    const at = endOf(wait);
    if (at >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = at;
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(0, at - Date.now()), maxTimerMs));
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
    // A late timer may find several due waits, which end in the order of their deadlines.
    for (const wait of due.toSorted((one, other) => endOf(one) - endOf(other))) wait.end('timed-out');
  };
}

/** Returns why a call ended whose signal was aborted: its caller cancelled it, or Signalbox is closing. */
export function abortedEnd({ reason }: AbortSignalLike): CallInterruption {
  return reason instanceof SignalboxError && reason.code === 'box-closed' ? 'closed' : 'cancelled';
}

/** Returns the time at which a wait ends; infinity without a deadline. */
function endOf({ deadline }: Wait): number {
  if (deadline === undefined) return Number.POSITIVE_INFINITY;
  return typeof deadline === 'number' ? deadline : deadline.end;
}

/** Returns the outcome of a call that ended early, with a description of its state at that time. */
export function endedOutcome(call: Call, ended: CallInterruption, what: string): CallOutcome {
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
        `${call.name} timed out after ${Date.now() - call.startedAt} ms while ${what}`,
      );
  }
}
