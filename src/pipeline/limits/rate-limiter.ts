/** Admits at most `max` calls in any period of `perMs`, in order of arrival. */
export class RateLimiter {
  readonly #perMs: number;
  /** The start times of the last `max` calls, as a ring buffer. */
  readonly #begins: number[];
  #oldest = 0;

  constructor({ max, perMs }: { readonly max: number; readonly perMs: number }) {
    this.#perMs = perMs;
    this.#begins = Array.from({ length: max }, () => Number.NEGATIVE_INFINITY);
  }

  /** Reserves the next start time, unless it would be after `latest`. */
  take(now: number, latest: number): { readonly at: number; readonly taken: boolean } {
    const at = Math.max(now, (this.#begins[this.#oldest] ?? now) + this.#perMs);
    if (at > latest) return { at, taken: false };
    this.#begins[this.#oldest] = at;
    this.#oldest = (this.#oldest + 1) % this.#begins.length;
    return { at, taken: true };
  }
}
