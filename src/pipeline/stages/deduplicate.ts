import { hash } from 'node:crypto';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { toEvent } from '../../journal/entries/stored-entry.ts';
import { type CallSettled } from '../../journal/entries/journal-event.ts';
import type { Claim, Store } from '../../journal/store/store.ts';
import type { IdempotencyClaim, PreparedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { argumentsDigest } from '../recording/canonical-arguments.ts';
import { settledOutcome } from '../recording/settle-call.ts';

/** Runs calls with the same idempotency key once: the others receive the outcome of the first. */
export function deduplicate(store: Store): Stage<PreparedCall> {
  const running = new Map<string, { readonly fingerprint: string; readonly outcome: Promise<CallOutcome> }>();
  return (call, next) => {
    // A replacement has the claim of the call that it replaces.
    const claim = (call.idempotencyClaim ??= claimOf(call));
    return claim === undefined ? next(call) : once(call, next, claim);
  };

  async function once(call: PreparedCall, next: Next<PreparedCall>, claim: IdempotencyClaim): Promise<CallOutcome> {
    const { key, fingerprint } = claim;
    const isReplacement = call.edit !== undefined;
    const first = isReplacement ? undefined : running.get(key);
    if (first !== undefined) return first.fingerprint === fingerprint ? first.outcome : conflict(call);
    const run = async (): Promise<CallOutcome> => next(call);
    const outcome = isReplacement ? run() : firstOutcome(call, claim, run);
    running.set(key, { fingerprint, outcome });
    try {
      return await outcome;
    } finally {
      if (running.get(key)?.outcome === outcome) running.delete(key);
    }
  }

  async function firstOutcome(
    call: PreparedCall,
    claim: IdempotencyClaim,
    run: () => Promise<CallOutcome>,
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

function claimOf(call: PreparedCall): IdempotencyClaim | undefined {
  const { idempotencyKey } = call.options;
  if (idempotencyKey === undefined) return undefined;
  const key = hash('sha256', JSON.stringify([call.principal.id, call.tool.definition.name, idempotencyKey]), 'hex');
  return { key, fingerprint: argumentsDigest(call.args.text) };
}
