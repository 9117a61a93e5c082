import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../../catalog/source.ts';
import type { CallOutcome } from 'src/core/calls/call-outcome.ts';
import { after } from '../compose.ts';
import { type Call, type Next, type Stage, toolOf } from '../call.ts';
import { RetryBudget, retryPause } from '../retries.ts';
import type { Waits } from '../waits.ts';

/** Tries again when the way to the server broke: only what harms nobody when it happens twice, reads and idempotent tools. */
export function retry({ waits }: { readonly waits: Waits }): Stage {
  const budgets = new WeakMap<Source, RetryBudget>();

  return (call, next) => {
    const { definition, source } = toolOf(call);
    if (definition.effect !== 'read' && !definition.idempotent) return next(call);
    let budget = budgets.get(source);
    if (budget === undefined) budgets.set(source, (budget = new RetryBudget()));
    budget.earn();
    const own = budget;
    return after(next(call), (outcome) => (call.broken ? again(call, next, outcome, own) : outcome));
  };

  async function again(call: Call, next: Next, first: CallOutcome, budget: RetryBudget): Promise<CallOutcome> {
    let outcome = first;
    while (call.broken) {
      const pause = retryPause(call, budget);
      if (pause === undefined) break;
      const waited = await waits.until(delay(pause), call.options.signal, undefined);
      if ('ended' in waited) break;
      call.broken = false;
      outcome = await next(call);
    }
    return outcome;
  }
}
