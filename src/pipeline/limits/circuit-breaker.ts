const timeoutsToOpen = 5;
const firstPauseMs = 5000;
const maxPauseMs = 60_000;

/**
 * Refuses calls of a server that does not respond. It opens after several timeouts in a row; after a pause one call is let through as a
 * probe, and the pause doubles each time that the probe times out too.
 */
export class CircuitBreaker {
  #silences = 0;
  #pauseMs = firstPauseMs;
  #opensAt = 0;
  #isTrying = false;

  /** Whether so many calls in a row have timed out that calls are refused. */
  get isOpen(): boolean {
    return this.#silences >= timeoutsToOpen;
  }

  /** Returns for how many milliseconds calls are refused; 0 when a call may pass. */
  pausesFor(now: number): number {
    return this.isOpen ? Math.max(0, this.#opensAt - now) : 0;
  }

  /** Returns whether a call may pass now. Its end must be recorded with one of the methods below. */
  tryPass(now: number): boolean {
    if (!this.isOpen) return true;
    if (this.pausesFor(now) > 0) return false;
    this.#isTrying = true;
    // The probe may take long, by its own limit or for a human: then another call probes.
    this.#opensAt = now + maxPauseMs;
    return true;
  }

  /** Records that the server responded, with success or an error. */
  recordAnswer(): void {
    if (this.#silences === 0) return;
    this.#silences = 0;
    this.#pauseMs = firstPauseMs;
    this.#isTrying = false;
  }

  /** Records that the server did not respond within its time limit. */
  recordTimeout(now: number): void {
    this.#silences += 1;
    if (!this.isOpen) return;
    // Calls that began before the pause say nothing new.
    if (!this.#isTrying && now < this.#opensAt) return;
    if (this.#isTrying) this.#pauseMs = Math.min(this.#pauseMs * 2, maxPauseMs);
    this.#isTrying = false;
    this.#opensAt = now + this.#pauseMs;
  }

  /** Records that a call ended without a sign of the server, because its caller gave up. */
  recordCancelled(): void {
    if (!this.#isTrying) return;
    this.#isTrying = false;
    this.#opensAt = 0;
  }
}
