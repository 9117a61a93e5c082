/** Lets at most `max` begin in any span of `perMs`, in the order they come. */
export class Rate {
  readonly #perMs: number;
  /** When the last `max` begin or began, as a ring. */
  readonly #begins: number[];
  #oldest = 0;

  constructor({ max, perMs }: { readonly max: number; readonly perMs: number }) {
    this.#perMs = perMs;
    this.#begins = Array.from({ length: max }, () => Number.NEGATIVE_INFINITY);
  }

  /** Takes the next turn and says when it is; takes none when it would come after `latest`, and says so with a date. */
  take(now: number, latest: number): { readonly at: number; readonly taken: boolean } {
    const at = Math.max(now, (this.#begins[this.#oldest] ?? now) + this.#perMs);
    if (at > latest) return { at, taken: false };
    this.#begins[this.#oldest] = at;
    this.#oldest = (this.#oldest + 1) % this.#begins.length;
    return { at, taken: true };
  }
}
