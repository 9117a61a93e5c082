import { emitSafely } from '../../core/async/emit-safely.ts';
import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { messageOf } from '../../core/errors.ts';
import { renderContent } from '../../core/tools/content.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { DecidedCall, PreparedCall } from '../call-lifecycle.ts';
import type { PolicyDecider } from '../policies/decider.ts';
import { maxOutputLength } from '../recording/call-entries.ts';
import { type Next, type Stage, mapMaybe } from '../stage.ts';

/** The maximum number of characters of an output that are searched for values of flow rules. */
const maxObservedLength = 256 * 1024;

/** Decides the call by policy, and reports the result of an allowed call to the policies that observe results. */
export function decide(decider: Pick<PolicyDecider, 'decide'>, redactor: Redactor): Stage<PreparedCall, DecidedCall> {
  return (call, next) =>
    mapMaybe(decider.decide(call), (decided) => ('outcome' in decided ? decided : proceed(decided, next, redactor)));
}

function proceed(call: DecidedCall, next: Next<DecidedCall>, redactor: Redactor): MaybePromise<CallOutcome> {
  const outcome = next(call);
  return isObserved(call) ? mapMaybe(outcome, (ended) => observeResult(call, ended, redactor)) : outcome;
}

/** Returns whether a rule or a policy in code observes the result of the call. */
function isObserved(call: DecidedCall): boolean {
  return (
    isOutputTracked(call) || call.evaluation?.policies.code.some(({ onResult }) => onResult !== undefined) === true
  );
}

function isOutputTracked({ evaluation, tool }: DecidedCall): boolean {
  return evaluation?.policies.policy.tracksValues === true && tool.definition.labels.length > 0;
}

function observeResult(call: DecidedCall, outcome: CallOutcome, redactor: Redactor): MaybePromise<CallOutcome> {
  if (call.evaluation === undefined) return outcome;
  const { policies, input } = call.evaluation;
  for (const each of policies.code)
    if (each.onResult !== undefined) emitSafely(() => each.onResult?.(input, outcome), undefined);
  if (!isOutputTracked(call)) return outcome;
  const structured = outcome.structuredContent === undefined ? '' : JSON.stringify(outcome.structuredContent);
  const output = `${renderContent(outcome.content, maxObservedLength)}\n${structured.slice(0, maxObservedLength)}`;
  const isRecorded = structured === '' && output.length <= maxOutputLength && redactor.isClean(JSON.stringify(output));
  const stored = policies.facts.recordOutput(call.id, call.tool.definition.labels, output, isRecorded);
  if (stored === undefined) return outcome;
  // Without the fingerprints, a flow rule would not recognize the output after a restart: fail closed, as with an unrecorded outcome.
  const message = `${call.name} ended as "${outcome.outcome}", but fingerprints of its output could not be stored`;
  return stored.then(
    () => outcome,
    (error: unknown) => failedOutcome('unknown', 'outcome-unrecorded', `${message}: ${messageOf(error)}`),
  );
}
