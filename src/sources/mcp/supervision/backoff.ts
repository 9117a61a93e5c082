const minDelayMs = 200;
const maxDelayMs = 30_000;
const crashWindowMs = 10_000;
const maxCrashes = 5;

/** Computes the delay before the next connection attempt. */
export class Backoff {
  #crashes: number[] = [];
  #failuresInRow = 0;

  /** Records a failure and returns the delay: random below a limit that doubles, or fixed for a server that keeps crashing. */
  next(isCrash: boolean, now = Date.now()): { readonly delayMs: number; readonly isCrashing: boolean } {
    if (isCrash) this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), now];
    const limitMs = Math.min(maxDelayMs, minDelayMs * 2 ** this.#failuresInRow);
    this.#failuresInRow += 1;
    if (this.#crashes.length < maxCrashes) return { delayMs: Math.random() * limitMs, isCrashing: false };
    this.#crashes = [];
    return { delayMs: maxDelayMs, isCrashing: true };
  }

  /** Resets the limit, after a connection that lasted. */
  settled(): void {
    this.#failuresInRow = 0;
  }

  /** Forgets all failures, for a restart by hand. */
  reset(): void {
    this.#failuresInRow = 0;
    this.#crashes = [];
  }
}
