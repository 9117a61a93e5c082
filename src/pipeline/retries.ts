import type { Call } from './call.ts';

const mostAttempts = 3;
const firstPauseMs = 100;
const mostRetries = 10;
const retriesByCall = 0.1;

/**
 * How many retries a server gets: one for ten calls, and never more than ten at once. A server that is really down then gets
 * a tenth more load from retries, not a multiple.
 */
export class RetryBudget {
  #left = mostRetries;

  /** A call was made. */
  earn(): void {
    this.#left = Math.min(mostRetries, this.#left + retriesByCall);
  }

  /** Takes a retry if there is one. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** How long to wait before a call is tried again; `undefined` when it is not: too often, too late, or nothing left of the budget. */
export function retryPause(call: Call, budget: RetryBudget): number | undefined {
  if (call.attempts >= mostAttempts) return undefined;
  // Between half and all of a pause that doubles: callers that failed together do not come back together.
  const pause = firstPauseMs * 2 ** (call.attempts - 1) * (0.5 + Math.random() / 2);
  if (call.deadline !== undefined && Date.now() + pause >= call.deadline) return undefined;
  return budget.spend() ? pause : undefined;
}
