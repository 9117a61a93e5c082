const silencesToOpen = 5;
const firstPauseMs = 5000;
const longestPauseMs = 60_000;

/**
 * Keeps calls from a server that does not answer: after some calls in a row that it let run out of their time, the others are not
 * made to wait for the same. After a pause one call tries; while it finds silence, the pauses grow.
 */
export class Breaker {
  #silences = 0;
  #pauseMs = firstPauseMs;
  #opensAt = 0;
  #isTrying = false;

  /** Whether so many calls in a row got no answer that not everybody is let through. */
  get isOpen(): boolean {
    return this.#silences >= silencesToOpen;
  }

  /** How long nobody is let through, in milliseconds; 0 while somebody is. */
  pausesFor(now: number): number {
    return this.isOpen ? Math.max(0, this.#opensAt - now) : 0;
  }

  /** Whether a call may go through now; what became of it has to be told. */
  tryPass(now: number): boolean {
    if (!this.isOpen) return true;
    if (this.pausesFor(now) > 0) return false;
    this.#isTrying = true;
    // It may take long, for a human or by its own limit: then another one tries.
    this.#opensAt = now + longestPauseMs;
    return true;
  }

  /** A call got an answer, good or bad. */
  answered(): void {
    if (this.#silences === 0) return;
    this.#silences = 0;
    this.#pauseMs = firstPauseMs;
    this.#isTrying = false;
  }

  /** A call got none in the time that the server has. */
  silent(now: number): void {
    this.#silences += 1;
    if (!this.isOpen) return;
    // Calls that were under way before the pause began say nothing new.
    if (!this.#isTrying && now < this.#opensAt) return;
    if (this.#isTrying) this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#isTrying = false;
    this.#opensAt = now + this.#pauseMs;
  }

  /** A call ended without telling anything of the server: its caller gave up. */
  untold(): void {
    if (!this.#isTrying) return;
    this.#isTrying = false;
    this.#opensAt = 0;
  }
}
