const minTimeoutsToOpen = 5;
const firstPauseMs = 5000;
const maxPauseMs = 60_000;

/**
 * Rejects calls of a server that does not respond. Opens after several consecutive timeouts. After a pause, admits one call as a probe;
 * the pause doubles each time that the probe times out.
 */
export class CircuitBreaker {
  #timeouts = 0;
  #pauseMs = firstPauseMs;
  /** The time from which the next call is admitted as a probe. */
  #retryAt = 0;
  #isProbing = false;

  /** Whether calls are rejected after too many consecutive timeouts. */
  get isOpen(): boolean {
    return this.#timeouts >= minTimeoutsToOpen;
  }

  /** Returns the number of milliseconds for which calls are rejected; 0 when a call may pass. */
  remainingPauseMs(now: number): number {
    return this.isOpen ? Math.max(0, this.#retryAt - now) : 0;
  }

  /** Returns whether a call may pass now. Its end must be recorded with one of the methods below. */
  tryPass(now: number): boolean {
    if (!this.isOpen) return true;
    if (this.remainingPauseMs(now) > 0) return false;
    this.#isProbing = true;
    // The probe may take long, because of its own limit or a human; then another call probes.
    this.#retryAt = now + maxPauseMs;
    return true;
  }

  /** Records that the server responded, with success or an error. */
  recordAnswer(): void {
    if (this.#timeouts === 0) return;
    this.#timeouts = 0;
    this.#pauseMs = firstPauseMs;
    this.#isProbing = false;
  }

  /** Records that the server did not respond within its time limit. */
  recordTimeout(now: number): void {
    this.#timeouts += 1;
    if (!this.isOpen) return;
    // Timeouts of calls that began before the pause add no information.
    if (!this.#isProbing && now < this.#retryAt) return;
    if (this.#isProbing) this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
    this.#isProbing = false;
    this.#retryAt = now + this.#pauseMs;
  }

  /** Records that a call ended without a response, because its caller cancelled it. */
  recordCancelled(): void {
    if (!this.#isProbing) return;
    this.#isProbing = false;
    this.#retryAt = 0;
  }
}
