import type { Source } from '../../catalog/source/source.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import { type Next, type Stage, after } from '../stage.ts';
import type { Waits } from '../limits/waits.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Tries again when the way to the server broke: only what harms nobody when it happens twice, reads and idempotent tools. */
export function retry({ waits }: { readonly waits: Waits }): Stage<AdmittedCall> {
  const budgets = new WeakMap<Source, RetryBudget>();

  return (call, next) => {
    const { definition, source } = call.tool;
    if (definition.effect !== 'read' && !definition.idempotent) return next(call);
    let budget = budgets.get(source);
    if (budget === undefined) budgets.set(source, (budget = new RetryBudget()));
    budget.earn();
    const own = budget;
    return after(next(call), (outcome) => (call.isLinkBroken ? again(call, next, outcome, own) : outcome));
  };

  async function again(
    call: AdmittedCall,
    next: Next<AdmittedCall>,
    first: CallOutcome,
    budget: RetryBudget,
  ): Promise<CallOutcome> {
    let outcome = first;
    while (call.isLinkBroken) {
      const pause = retryPause(call, budget);
      if (pause === undefined) break;
      const waited = await waits.until(delay(pause), call.options.signal, undefined);
      if ('ended' in waited) break;
      call.isLinkBroken = false;
      outcome = await next(call);
    }
    return outcome;
  }
}

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
export function retryPause(call: AdmittedCall, budget: RetryBudget): number | undefined {
  if (call.attempts >= mostAttempts) return undefined;
  // Between half and all of a pause that doubles: callers that failed together do not come back together.
  const pause = firstPauseMs * 2 ** (call.attempts - 1) * (0.5 + Math.random() / 2);
  if (call.deadline !== undefined && Date.now() + pause >= call.deadline) return undefined;
  return budget.spend() ? pause : undefined;
}
