import type { Source } from '../catalog/source.ts';

/** Lets so many holders in at a time; the others wait in the order they came. */
export class Limiter {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place if there is one. */
  tryAcquire(): boolean {
    if (this.#held >= this.#most) return false;
    this.#held += 1;
    return true;
  }

  /** A place in the queue: `ready` resolves when it is this one's turn; `leave` gives the place up, before or after. */
  enqueue(): { readonly ready: Promise<void>; leave(): void } {
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
    if (limiter === undefined)
      this.#bySource.set(source, (limiter = new Limiter(source.limits.concurrency ?? this.#usual)));
    return limiter;
  }
}
