import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { Source } from '../../catalog/source/source.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import type { CircuitBreaker } from '../limits/circuit-breaker.ts';
import type { AdmittedCall, ResolvedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import type { ConcurrencyLimiter, ServerLimiters } from '../limits/concurrency-limiter.ts';
import { RateLimiter } from '../limits/rate-limiter.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';

/** Dependencies and defaults of the stage. */
interface LimitOptions {
  readonly waits: Waits;
  readonly timeoutMs: number;
  readonly limiters: ServerLimiters;
}

interface Limits {
  readonly places: ConcurrencyLimiter;
  readonly rate: RateLimiter | undefined;
}

/**
 * Applies the concurrency and rate limits of each server. Calls over the limit wait for at most their time limit. They are rejected
 * when the queue is full, or when the server has stopped responding.
 */
export function limit({ waits, timeoutMs, limiters }: LimitOptions): Stage<AdmittedCall> {
  const known = new WeakMap<Source, Limits>();
  const limitsFor = (source: Source): Limits => {
    let limits = known.get(source);
    if (limits === undefined) {
      const { rateLimit } = source.limits;
      limits = {
        places: limiters.of(source),
        rate: rateLimit === undefined ? undefined : new RateLimiter(rateLimit),
      };
      known.set(source, limits);
    }
    return limits;
  };

  return (call, next) => {
    const { places, rate } = limitsFor(call.tool.source);
    if (rate === undefined && places.tryAcquire()) return run(call, next, places);
    return inTurn(call, next, places, rate);
  };

  async function inTurn(
    call: AdmittedCall,
    next: Next<AdmittedCall>,
    places: ConcurrencyLimiter,
    rate: RateLimiter | undefined,
  ): Promise<CallOutcome> {
    const stopped = rate === undefined ? undefined : await turn(call, rate);
    if (stopped !== undefined) return stopped;
    if (!places.tryAcquire()) {
      const place = places.enqueue();
      if (place === undefined) return busy(call);
      const waited = await waits.until(place.ready, call.options.signal, lastMoment(call));
      if ('ended' in waited) {
        place.leave();
        return endedOutcome(call, waited.ended, `waiting for a free place at server "${call.tool.source.server}"`);
      }
    }
    return run(call, next, places);
  }

  /** Waits for the call's turn under the rate limit. An abandoned turn is used up, because the turns after it are assigned already. */
  async function turn(call: AdmittedCall, rate: RateLimiter): Promise<CallOutcome | undefined> {
    const { source } = call.tool;
    const now = Date.now();
    const { at, taken } = rate.take(now, lastMoment(call));
    if (!taken) {
      const { max = 0, perMs = 0 } = source.limits.rateLimit ?? {};
      return failedOutcome(
        'failed',
        'rate-limited',
        `${call.name} was not run: server "${source.server}" gets at most ${max} calls in ${perMs / 1000} s, and the next turn would come in ${Math.ceil((at - now) / 1000)} s; call again then`,
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
  function lastMoment(call: AdmittedCall): number {
    const { definition, source } = call.tool;
    const patience = definition.timeoutMs ?? source.limits.timeoutMs ?? timeoutMs;
    return Math.min(call.deadline ?? Number.POSITIVE_INFINITY, Date.now() + patience);
  }
}

function run(call: AdmittedCall, next: Next<AdmittedCall>, places: ConcurrencyLimiter): MaybePromise<CallOutcome> {
  const { breaker } = places;
  const left = (error: unknown): never => {
    places.release();
    throw error;
  };
  const ended = (outcome: CallOutcome): CallOutcome => {
    places.release();
    if (breaker !== undefined) judge(call, outcome, breaker);
    return outcome;
  };
  try {
    if (breaker?.tryPass(Date.now()) === false) {
      places.release();
      return silent(call, breaker);
    }
    const outcome = next(call);
    return outcome instanceof Promise ? outcome.then(ended, left) : ended(outcome);
  } catch (error) {
    return left(error);
  }
}

/** Records how a call ended. A timeout counts only when it is the server's own time limit, not the caller's deadline. */
function judge({ deadline }: AdmittedCall, { outcome }: CallOutcome, breaker: CircuitBreaker): void {
  const now = Date.now();
  if (outcome === 'cancelled') breaker.recordCancelled();
  else if (outcome !== 'timed-out') breaker.recordAnswer();
  else if (deadline === undefined || now < deadline) breaker.recordTimeout(now);
  else breaker.recordCancelled();
}

/** Sheds load: rejects a call that could not run soon, before it is decided, needs approval or is recorded. */
export function shed(limiters: ServerLimiters): Stage<ResolvedCall> {
  return (call, next) => {
    const places = limiters.of(call.tool.source);
    if (places.isFull) return busy(call);
    const { breaker } = places;
    return breaker !== undefined && breaker.isOpen && breaker.pausesFor(Date.now()) > 0
      ? silent(call, breaker)
      : next(call);
  };
}

/** Returns the outcome of a call that is refused because too many wait. */
function busy(call: ResolvedCall): CallOutcome {
  return failedOutcome(
    'failed',
    'server-busy',
    `${call.name} was not run: too many calls wait for server "${call.tool.source.server}" already; call again later`,
  );
}

/** Returns the outcome of a call that is refused because the server does not respond. */
function silent(call: ResolvedCall, breaker: CircuitBreaker): CallOutcome {
  const seconds = Math.ceil(breaker.pausesFor(Date.now()) / 1000);
  return failedOutcome(
    'failed',
    'server-down',
    `${call.name} was not run: server "${call.tool.source.server}" did not answer the last calls in their time; it is tried again in ${seconds} s`,
  );
}
