import type { Source } from '../../catalog/source/source.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

/** Bounds the queue of one server, so that a slow server does not fill the memory. */
const maxWaitingCalls = 1000;

/** Limits the number of concurrent calls. The others wait in order of arrival, in a bounded queue. */
export class ConcurrencyLimiter {
  /** Absent for servers in this process. */
  readonly breaker: CircuitBreaker | undefined;
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(limit: number, breaker?: CircuitBreaker) {
    this.#limit = limit;
    this.breaker = breaker;
  }

  /** Whether all slots and the queue are full. */
  get isFull(): boolean {
    return this.#held >= this.#limit && this.#waiting.size >= maxWaitingCalls;
  }

  /** Takes a slot if one is free. */
  tryAcquire(): boolean {
    if (this.#held >= this.#limit) return false;
    this.#held += 1;
    return true;
  }

  /** Joins the queue; `undefined` when it is full. `ready` resolves with a slot; `leave` releases the slot or leaves the queue. */
  enqueue(): { readonly ready: Promise<void>; leave(): void } | undefined {
    if (this.isFull) return undefined;
    let granted = false;
    let grant: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      grant = () => {
        granted = true;
        resolve();
      };
      this.#waiting.add(grant);
    });
    return {
      ready,
      leave: () => {
        if (granted) this.release();
        else this.#waiting.delete(grant);
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

/** The concurrency limiters of all servers. */
export class ServerLimiters {
  readonly #defaultLimit: number;
  readonly #bySource = new WeakMap<Source, ConcurrencyLimiter>();

  /** `defaultLimit` applies to servers without a limit of their own. */
  constructor(defaultLimit: number) {
    this.#defaultLimit = defaultLimit;
  }

  of(source: Source): ConcurrencyLimiter {
    let limiter = this.#bySource.get(source);
    if (limiter === undefined) this.#bySource.set(source, (limiter = this.#make(source)));
    return limiter;
  }

  #make({ limits, health }: Source): ConcurrencyLimiter {
    return new ConcurrencyLimiter(
      limits.concurrency ?? this.#defaultLimit,
      health === undefined ? undefined : new CircuitBreaker(),
    );
  }
}
