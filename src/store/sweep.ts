const everyMs = 10 * 60_000;

/** Removes what is over now and then, when something is written anyway. */
export class Sweep {
  readonly #remove: (now: number) => void | Promise<void>;
  #swept = 0;

  constructor(remove: (now: number) => void | Promise<void>) {
    this.#remove = remove;
  }

  async now(): Promise<void> {
    const now = Date.now();
    if (now - this.#swept < everyMs) return;
    this.#swept = now;
    await this.#remove(now);
  }
}
