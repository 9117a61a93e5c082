const sweepIntervalMs = 10 * 60_000;

/** Removes expired rows periodically, when other rows are written. */
export class ExpirySweeper {
  readonly #remove: (now: number) => void | Promise<void>;
  #swept = 0;

  constructor(remove: (now: number) => void | Promise<void>) {
    this.#remove = remove;
  }

  async runIfDue(): Promise<void> {
    const now = Date.now();
    if (now - this.#swept < sweepIntervalMs) return;
    this.#swept = now;
    await this.#remove(now);
  }
}
