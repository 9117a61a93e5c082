const shortestMs = 200;
const longestMs = 30_000;
const crashWindowMs = 10_000;
const crashesTooMany = 5;

/** Decides how long to wait before a server is tried again. */
export class Backoff {
  #crashes: number[] = [];
  #inRow = 0;

  /** Notes a failure and gives the wait: random up to a bound that doubles; fixed for a server that keeps crashing. */
  next(isCrash: boolean, now = Date.now()): { readonly delayMs: number; readonly isCrashing: boolean } {
    if (isCrash) this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), now];
    const bound = Math.min(longestMs, shortestMs * 2 ** this.#inRow);
    this.#inRow += 1;
    if (this.#crashes.length < crashesTooMany) return { delayMs: Math.random() * bound, isCrashing: false };
    this.#crashes = [];
    return { delayMs: longestMs, isCrashing: true };
  }

  /** It stood for a while: the next failure is the first again. */
  settled(): void {
    this.#inRow = 0;
  }

  /** Somebody wants it tried afresh. */
  reset(): void {
    this.#inRow = 0;
    this.#crashes = [];
  }
}
