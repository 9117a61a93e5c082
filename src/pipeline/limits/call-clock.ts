/** How long the questions of one call may take together before its time goes on. */
const longestAsking = 10 * 60_000;

/**
 * When a call runs out of time. The tool’s own time stands still while its caller is asked something, for at most ten minutes
 * in all; the deadline that the caller gave never moves. So no answer is cut off for being slow, and every call ends.
 */
export class CallClock {
  /** Told whenever the time has moved. */
  onMove: (() => void) | undefined;
  readonly #own: number;
  readonly #callers: number;
  #holders = 0;
  #heldSince = 0;
  #moved = 0;

  constructor(own: number, callers: number | undefined) {
    this.#own = own;
    this.#callers = callers ?? Number.POSITIVE_INFINITY;
  }

  /** When the call ends, if nothing is answered or asked from now on. */
  get end(): number {
    return Math.min(this.#callers, this.#own + (this.#holders > 0 ? longestAsking : this.#moved));
  }

  /** When the call ends, if what is asked now were answered now. */
  get deadline(): number {
    return Math.min(this.#callers, this.#own + this.#used());
  }

  /** Lets the tool’s own time stand still until what it returns is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1) {
      this.#heldSince = Date.now();
      this.onMove?.();
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const used = this.#used();
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#moved = used;
      this.onMove?.();
    };
  }

  #used(): number {
    const now = this.#holders > 0 ? Date.now() - this.#heldSince : 0;
    return Math.min(longestAsking, this.#moved + now);
  }
}
