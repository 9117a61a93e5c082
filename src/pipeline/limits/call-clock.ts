/** The maximum total time for which the questions of one call may pause its timeout. */
const maxQuestionsMs = 10 * 60_000;

/**
 * The time limit of a call. The tool's own limit is paused while a question to the caller is open, for at most ten minutes in total, so
 * that a slow answer does not time out. The caller's deadline never moves, so every call ends.
 */
export class CallClock {
  /** Called when the end of the call has moved. */
  onMove: (() => void) | undefined;
  readonly #toolDeadline: number;
  readonly #callerDeadline: number;
  #holders = 0;
  #heldSince = 0;
  #moved = 0;

  constructor(toolDeadline: number, callerDeadline: number | undefined) {
    this.#toolDeadline = toolDeadline;
    this.#callerDeadline = callerDeadline ?? Number.POSITIVE_INFINITY;
  }

  /** The time at which the call ends if no more questions are asked or answered. */
  get end(): number {
    return Math.min(this.#callerDeadline, this.#toolDeadline + (this.#holders > 0 ? maxQuestionsMs : this.#moved));
  }

  /** The time at which the call ends if the open question were answered now. */
  get deadline(): number {
    return Math.min(this.#callerDeadline, this.#toolDeadline + this.#used());
  }

  /** Pauses the tool's own time limit until the returned function is called. */
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
    return Math.min(maxQuestionsMs, this.#moved + now);
  }
}
