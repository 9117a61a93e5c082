import type { Source } from '../../catalog/source/source.ts';
import { Breaker } from './circuit-breaker.ts';

/** How many calls may wait for a place at one server: the line of a sick one must not take the room of the others. */
const mostWaiting = 1000;

/** Lets so many holders in at a time; so many others wait in the order they came. */
export class Limiter {
  /** Knows whether the server answers; absent for those that are in this process. */
  readonly breaker: Breaker | undefined;
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(most: number, breaker?: Breaker) {
    this.#most = most;
    this.breaker = breaker;
  }

  /** There is neither a place nor room to wait for one. */
  get isFull(): boolean {
    return this.#held >= this.#most && this.#waiting.size >= mostWaiting;
  }

  /** Takes a place if there is one. */
  tryAcquire(): boolean {
    if (this.#held >= this.#most) return false;
    this.#held += 1;
    return true;
  }

  /** A place in the queue: `ready` resolves when it is this one's turn; `leave` gives the place up, before or after. `undefined` if it is full. */
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

/** One limiter for each server, for everything that is asked of it. */
export class Limiters {
  readonly #usual: number;
  readonly #bySource = new WeakMap<Source, Limiter>();

  /** How many a server gets at a time where it does not say. */
  constructor(usual: number) {
    this.#usual = usual;
  }

  of(source: Source): Limiter {
    let limiter = this.#bySource.get(source);
    if (limiter === undefined) this.#bySource.set(source, (limiter = this.#make(source)));
    return limiter;
  }

  #make({ limits, health }: Source): Limiter {
    return new Limiter(limits.concurrency ?? this.#usual, health === undefined ? undefined : new Breaker());
  }
}
