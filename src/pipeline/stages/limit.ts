import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import type { CircuitBreaker } from '../limits/circuit-breaker.ts';
import { type AdmittedCall, type ResolvedCall, notRunMessage, timeoutOf } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import type { RateLimiter, ServerLimiter, ServerLimiters } from '../limits/server-limiter.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';

/** Dependencies and defaults of the stage. */
export interface LimitOptions {
  readonly waits: Waits;
  readonly timeoutMs: number;
  readonly limiters: ServerLimiters;
}

/**
 * Applies the concurrency and rate limits of each server. Calls over the limit wait for at most their time limit. They are rejected
 * when the queue is full, or when the server has stopped responding.
 */
export function limit({ waits, timeoutMs, limiters }: LimitOptions): Stage<AdmittedCall> {
  return (call, next) => {
    const limiter = limiters.of(call.tool.source);
    if (limiter.rate === undefined && limiter.tryAcquire()) return run(call, next, limiter);
    return inTurn(call, next, limiter);
  };

  async function inTurn(call: AdmittedCall, next: Next<AdmittedCall>, limiter: ServerLimiter): Promise<CallOutcome> {
    const stopped = limiter.rate === undefined ? undefined : await turn(call, limiter.rate);
    if (stopped !== undefined) return stopped;
    if (!limiter.tryAcquire()) {
      const slot = limiter.enqueue();
      if (slot === undefined) return busy(call);
      const waited = await waits.until(slot.ready, call.options.signal, waitDeadline(call));
      if ('ended' in waited) {
        slot.leave();
        return endedOutcome(call, waited.ended, `waiting for a free slot at server "${call.tool.source.server}"`);
      }
    }
    return run(call, next, limiter);
  }

  /** Waits for the call's turn under the rate limit. An abandoned turn is used up, because the turns after it are assigned already. */
  async function turn(call: AdmittedCall, rate: RateLimiter): Promise<CallOutcome | undefined> {
    const { source } = call.tool;
    const now = Date.now();
    const { at, taken } = rate.take(now, waitDeadline(call));
    if (!taken) {
      const { max = 0, perMs = 0 } = source.limits.rateLimit ?? {};
      return failedOutcome(
        'failed',
        'rate-limited',
        notRunMessage(
          call,
          `server "${source.server}" is limited to ${max} calls in ${perMs / 1000} s, and the next call can start in ${Math.ceil((at - now) / 1000)} s; try again then`,
        ),
      );
    }
    if (at <= now) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const begin = new Promise<void>((resolve) => (timer = setTimeout(resolve, at - now)));
    const waited = await waits.until(begin, call.options.signal, call.deadline);
    clearTimeout(timer);
    if ('ended' in waited) return endedOutcome(call, waited.ended, `waiting for its turn at server "${source.server}"`);
    return undefined;
  }

  /** Returns the end of waiting: a call waits no longer than it may run. */
  function waitDeadline(call: AdmittedCall): number {
    return Math.min(call.deadline ?? Number.POSITIVE_INFINITY, Date.now() + timeoutOf(call.tool, timeoutMs));
  }
}

function run(call: AdmittedCall, next: Next<AdmittedCall>, limiter: ServerLimiter): MaybePromise<CallOutcome> {
  const { breaker } = limiter;
  const failed = (error: unknown): never => {
    limiter.release();
    throw error;
  };
  const ended = (outcome: CallOutcome): CallOutcome => {
    limiter.release();
    if (breaker !== undefined) recordEnd(call, outcome, breaker);
    return outcome;
  };
  try {
    if (breaker?.tryPass(Date.now()) === false) {
      limiter.release();
      return unresponsive(call, breaker);
    }
    const outcome = next(call);
    return outcome instanceof Promise ? outcome.then(ended, failed) : ended(outcome);
  } catch (error) {
    return failed(error);
  }
}

/** Records how a call ended. A timeout counts only when it is the server's own time limit, not the caller's deadline. */
function recordEnd({ deadline }: AdmittedCall, { outcome }: CallOutcome, breaker: CircuitBreaker): void {
  const now = Date.now();
  if (outcome === 'cancelled') breaker.recordCancelled();
  else if (outcome !== 'timed-out') breaker.recordAnswer();
  else if (deadline === undefined || now < deadline) breaker.recordTimeout(now);
  else breaker.recordCancelled();
}

/** Sheds load: rejects a call that could not run soon, before it is decided, needs approval or is recorded. */
export function shed(limiters: ServerLimiters): Stage<ResolvedCall> {
  return (call, next) => {
    const { isFull, breaker } = limiters.of(call.tool.source);
    if (isFull) return busy(call);
    return breaker?.isOpen === true && breaker.remainingPauseMs(Date.now()) > 0
      ? unresponsive(call, breaker)
      : next(call);
  };
}

function busy(call: ResolvedCall): CallOutcome {
  return failedOutcome(
    'failed',
    'server-busy',
    notRunMessage(call, `too many calls are already waiting for server "${call.tool.source.server}"; try again later`),
  );
}

function unresponsive(call: ResolvedCall, breaker: CircuitBreaker): CallOutcome {
  const seconds = Math.ceil(breaker.remainingPauseMs(Date.now()) / 1000);
  return failedOutcome(
    'failed',
    'server-down',
    notRunMessage(
      call,
      `server "${call.tool.source.server}" did not respond to the last calls in time; the next attempt is in ${seconds} s`,
    ),
  );
}
