import type { Claim, Store } from '../../journal/store.ts';
import type { CallOutcome } from '../../model/call.ts';
import { unfinished } from '../../model/unfinished.ts';
import type { Call, Next, Outcoming, Stage } from '../call.ts';
import { claimOf } from '../idempotency.ts';

/** Runs calls with the same idempotency key once: the others get the outcome of the first. */
export function deduplicate(store: Store): Stage {
  const underWay = new Map<string, { readonly fingerprint: string; readonly outcome: Promise<CallOutcome> }>();
  return (call, next) => {
    const claim = claimOf(call);
    call.claim = claim;
    return claim === undefined ? next(call) : once(call, next, claim);
  };

  async function once(call: Call, next: Next, claim: NonNullable<Call['claim']>): Promise<CallOutcome> {
    const first = underWay.get(claim.key);
    if (first !== undefined) return first.fingerprint === claim.fingerprint ? first.outcome : conflict(call);
    const outcome = firstOutcome(call, claim, () => next(call));
    underWay.set(claim.key, { fingerprint: claim.fingerprint, outcome });
    try {
      return await outcome;
    } finally {
      underWay.delete(claim.key);
    }
  }

  async function firstOutcome(
    call: Call,
    claim: { key: string; fingerprint: string },
    run: () => Outcoming,
  ): Promise<CallOutcome> {
    const taken = await store.claim(claim.key);
    if (taken === undefined) return run();
    return taken.fingerprint === claim.fingerprint ? recorded(call, taken) : conflict(call);
  }
}

function recorded(call: Call, taken: Claim): CallOutcome {
  if (taken.outcome !== undefined) return JSON.parse(taken.outcome) as CallOutcome;
  return unfinished(
    'unknown',
    'outcome-lost',
    `${call.name} was started for this idempotency key as ${taken.call} and its outcome is not known; it is not run again`,
  );
}

function conflict(call: Call): CallOutcome {
  return unfinished(
    'failed',
    'idempotency-conflict',
    `the idempotency key ${JSON.stringify(call.options.idempotencyKey)} was used for ${call.name} with other arguments; use a new key`,
  );
}
