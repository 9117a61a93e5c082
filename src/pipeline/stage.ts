import type { MaybePromise } from '../core/async/maybe-promise.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';
import type { Call, Next } from './call-lifecycle.ts';
import { Next } from './stage.ts';

/** Joins stages into one function, once; a call then costs no more than the stages themselves. */
export function compose(stages: readonly Stage[]): Next {
  return stages.reduceRight<Next>(
    (next, stage) => (call) => stage(call, next),
    () => {
      throw new Error('the last stage of the pipeline must not call next');
    },
  );
}

/** Goes on with an outcome, at once where it is there: an `async` stage would cost every call a frame and two promises. */
export function after(
  outcome: MaybePromise<CallOutcome>,
  go: (ended: CallOutcome) => MaybePromise<CallOutcome>,
): MaybePromise<CallOutcome> {
  return outcome instanceof Promise ? outcome.then(go) : go(outcome);
}
/** What comes after a stage. */

export type Next = (call: Call) => MaybePromise<CallOutcome>;
/** One step of the pipeline: does its part, calls `next` or not, and passes the outcome on. */

export type Stage = (call: Call, next: Next) => MaybePromise<CallOutcome>;
