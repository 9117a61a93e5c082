import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { toEvent } from '../../journal/entries/stored-entry.ts';
import { type CallSettled } from '../../journal/entries/journal-event.ts';
import type { Claim, Store } from '../../journal/store/store.ts';
import type { PreparedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { argumentsDigest } from '../recording/canonical-arguments.ts';
import { settledOutcome } from '../recording/settle-call.ts';
import { hash } from 'node:crypto';

/** Runs calls with the same idempotency key once: the others get the outcome of the first. */
export function deduplicate(store: Store): Stage<PreparedCall> {
  const underWay = new Map<string, { readonly fingerprint: string; readonly outcome: Promise<CallOutcome> }>();
  return (call, next) => {
    // Made by the pipeline itself in the place of a call that holds the key.
    if (call.idempotencyClaim !== undefined) return next(call);
    const claim = claimOf(call);
    call.idempotencyClaim = claim;
    return claim === undefined ? next(call) : once(call, next, claim);
  };

  async function once(
    call: PreparedCall,
    next: Next<PreparedCall>,
    claim: NonNullable<PreparedCall['idempotencyClaim']>,
  ): Promise<CallOutcome> {
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
    call: PreparedCall,
    claim: { key: string; fingerprint: string },
    run: () => MaybePromise<CallOutcome>,
  ): Promise<CallOutcome> {
    const taken = await store.claim(claim.key);
    if (taken === undefined) return run();
    return taken.fingerprint === claim.fingerprint ? recorded(call, taken) : conflict(call);
  }

  async function recorded(call: PreparedCall, taken: Claim): Promise<CallOutcome> {
    const outcome = taken.outcome === undefined ? lost(call, taken) : (JSON.parse(taken.outcome) as CallOutcome);
    if (outcome.outcome !== 'unknown') return outcome;
    const [settled] = await store.entries({ order: 'newest-first', limit: 1, call: taken.call, type: 'CallSettled' });
    return settled === undefined ? outcome : settledOutcome(call.name, toEvent(settled) as CallSettled);
  }
}

function lost(call: PreparedCall, taken: Claim): CallOutcome {
  return failedOutcome(
    'unknown',
    'outcome-lost',
    `${call.name} was started for this idempotency key as ${taken.call} and its outcome is not known; it is not run again`,
  );
}

function conflict(call: PreparedCall): CallOutcome {
  return failedOutcome(
    'failed',
    'idempotency-conflict',
    `the idempotency key ${JSON.stringify(call.options.idempotencyKey)} was used for ${call.name} with other arguments; use a new key`,
  );
}

/** The key a call takes, and a fingerprint of the arguments it takes it for; `undefined` without a key. */
export function claimOf(call: PreparedCall): PreparedCall['idempotencyClaim'] {
  const given = call.options.idempotencyKey;
  if (given === undefined) return undefined;
  const key = hash('sha256', JSON.stringify([call.principal.id, call.tool.definition.name, given]), 'hex');
  return { key, fingerprint: argumentsDigest(call.argumentsText) };
}
