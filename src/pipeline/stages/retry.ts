import type { Source } from '../../catalog/source/source.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { text } from '../../core/tools/content.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import { type Next, type Stage, mapMaybe } from '../stage.ts';
import type { Waits } from '../limits/waits.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** Retries calls whose connection to the server broke: reads and idempotent tools, which do no harm when they run twice. */
export function retry({ waits }: { readonly waits: Waits }): Stage<AdmittedCall> {
  const budgets = new WeakMap<Source, RetryBudget>();

  return (call, next) => {
    const { definition, source } = call.tool;
    if (definition.effect !== 'read' && !definition.idempotent) return next(call);
    let budget = budgets.get(source);
    if (budget === undefined) budgets.set(source, (budget = new RetryBudget()));
    budget.earn();
    const own = budget;
    return mapMaybe(next(call), (outcome) => (call.run.isLinkBroken ? again(call, next, outcome, own) : outcome));
  };

  async function again(
    call: AdmittedCall,
    next: Next<AdmittedCall>,
    first: CallOutcome,
    budget: RetryBudget,
  ): Promise<CallOutcome> {
    let outcome = first;
    let hasRun = true;
    while (call.run.isLinkBroken) {
      const pause = retryPause(call, budget);
      if (pause === undefined) break;
      const waited = await waits.until(delay(pause), call.options.signal, undefined);
      if ('ended' in waited) break;
      call.run.isLinkBroken = false;
      const { attempts } = call.run;
      outcome = await next(call);
      hasRun = call.run.attempts > attempts;
    }
    return hasRun && !call.run.isLinkBroken ? outcome : withAttempts(call, outcome);
  }
}

/**
 * Adds the number of attempts to the message of a call whose last attempt got no answer. An attempt that may have run leaves the outcome
 * unknown, unless the tool only reads.
 */
function withAttempts(call: AdmittedCall, outcome: CallOutcome): CallOutcome {
  if (outcome.outcome === 'completed') return outcome;
  const message = `${outcome.error.message} (${pluralize(call.run.attempts, 'attempt')})`;
  if (call.run.lostAttempt !== undefined && call.tool.definition.effect !== 'read')
    return failedOutcome('unknown', 'outcome-lost', message);
  // Codes such as `server-down` mean that nothing ran, and rules do not count such calls.
  if (call.run.lostAttempt !== undefined && outcome.outcome === 'failed')
    return failedOutcome('failed', 'tool-failed', message);
  return { ...outcome, error: { ...outcome.error, message }, content: [text(message)] };
}

const maxAttempts = 3;
const firstPauseMs = 100;
const maxRetries = 10;
const retriesPerCall = 0.1;

/**
 * The retry budget of one server: one retry for every ten calls, and a burst of at most ten. Retries add at most a tenth to the load of a
 * server that is down.
 */
export class RetryBudget {
  #left = maxRetries;

  /** Adds to the budget for a call. */
  earn(): void {
    this.#left = Math.min(maxRetries, this.#left + retriesPerCall);
  }

  /** Takes a retry from the budget, if one is left. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** Returns the delay before the next attempt; `undefined` when attempts, time or budget are used up. */
function retryPause(call: AdmittedCall, budget: RetryBudget): number | undefined {
  if (call.run.attempts >= maxAttempts) return undefined;
  // Jitter keeps callers that failed together from retrying together.
  const pause = firstPauseMs * 2 ** (call.run.attempts - 1) * (0.5 + Math.random() / 2);
  if (call.deadline !== undefined && Date.now() + pause >= call.deadline) return undefined;
  return budget.spend() ? pause : undefined;
}
