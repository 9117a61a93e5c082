/** The longest pause between two attempts to open an event stream. */
const maxReconnectDelayMs = 30_000;

/** Decides how long to wait before an event stream is opened again. Doubles the pause each time, since some servers end every idle stream. */
export class ReconnectDelay {
  #delayMs = 0;
  #lastAt = 0;

  /** Returns the next pause: at least `minMs`, or exactly that when the stream was open for a while. */
  next(minMs: number): number {
    const isRecent = Date.now() - this.#lastAt <= 2 * maxReconnectDelayMs;
    this.#delayMs = isRecent ? Math.min(Math.max(this.#delayMs * 2, minMs), maxReconnectDelayMs) : minMs;
    this.#lastAt = Date.now();
    return this.#delayMs;
  }
}
