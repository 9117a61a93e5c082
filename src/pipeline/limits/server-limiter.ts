import type { Source } from '../../catalog/source/source.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

/** Bounds the queue of one server, so that a slow server does not exhaust the memory. */
const maxWaitingCalls = 1000;

/** Limits the calls of one server. At most `concurrency` calls run at once; the others wait in order of arrival, in a bounded queue. */
export class ServerLimiter {
  readonly rate: RateLimiter | undefined;
  /** Absent for servers in this process. */
  readonly breaker: CircuitBreaker | undefined;
  readonly #concurrency: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor({ limits, health }: Pick<Source, 'limits' | 'health'>, defaultConcurrency: number) {
    this.#concurrency = limits.concurrency ?? defaultConcurrency;
    this.rate = limits.rateLimit && new RateLimiter(limits.rateLimit);
    this.breaker = health && new CircuitBreaker();
  }

  /** Whether all slots and the queue are full. */
  get isFull(): boolean {
    return this.#held >= this.#concurrency && this.#waiting.size >= maxWaitingCalls;
  }

  /** Takes a slot if one is free. */
  tryAcquire(): boolean {
    if (this.#held >= this.#concurrency) return false;
    this.#held += 1;
    return true;
  }

  /** Joins the queue; `undefined` when it is full. `ready` resolves with a slot; `leave` releases the slot or leaves the queue. */
  enqueue(): { readonly ready: Promise<void>; leave(): void } | undefined {
    if (this.isFull) return undefined;
    const { promise: ready, resolve: grant } = Promise.withResolvers<void>();
    this.#waiting.add(grant);
    return {
      ready,
      leave: () => {
        if (!this.#waiting.delete(grant)) this.release();
      },
    };
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#held -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** Admits at most `max` calls in any period of `perMs`, in order of arrival. */
export class RateLimiter {
  readonly #perMs: number;
  /** The start times of the last `max` calls, as a ring buffer. */
  readonly #startTimes: number[];
  #oldest = 0;

  constructor({ max, perMs }: { readonly max: number; readonly perMs: number }) {
    this.#perMs = perMs;
    this.#startTimes = Array.from({ length: max }, () => Number.NEGATIVE_INFINITY);
  }

  /** Reserves the next start time, unless it would be after `latest`. */
  take(now: number, latest: number): { readonly at: number; readonly taken: boolean } {
    const at = Math.max(now, (this.#startTimes[this.#oldest] ?? now) + this.#perMs);
    if (at > latest) return { at, taken: false };
    this.#startTimes[this.#oldest] = at;
    this.#oldest = (this.#oldest + 1) % this.#startTimes.length;
    return { at, taken: true };
  }
}

/** The limiters of all servers. */
export class ServerLimiters {
  readonly #defaultConcurrency: number;
  readonly #bySource = new WeakMap<Source, ServerLimiter>();

  /** `defaultConcurrency` applies to servers without a limit of their own. */
  constructor(defaultConcurrency: number) {
    this.#defaultConcurrency = defaultConcurrency;
  }

  of(source: Source): ServerLimiter {
    let limiter = this.#bySource.get(source);
    if (limiter === undefined)
      this.#bySource.set(source, (limiter = new ServerLimiter(source, this.#defaultConcurrency)));
    return limiter;
  }
}
