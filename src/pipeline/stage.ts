import type { MaybePromise } from '../core/async/maybe-promise.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';

/** The rest of the pipeline, for a call that has come as far as `In`. */
export type Next<In> = (call: In) => MaybePromise<CallOutcome>;

/**
 * One step of the pipeline. It takes a call that has come as far as `In`, and either ends it with an outcome or passes it to `next` as
 * `Out`. It is synchronous where it can be: an `async` stage would cost every call a frame and two promises.
 */
export type Stage<In, Out = In> = (call: In, next: Next<Out>) => MaybePromise<CallOutcome>;

/** Stages that are joined so far: they take `First` and pass on `Last`. */
export interface StageChain<First, Last> {
  /** Adds the next stage. */
  stage<Out>(stage: Stage<Last, Out>): StageChain<First, Out>;
  /** Adds the last stage, which passes nothing on, and returns the pipeline. */
  end(last: Next<Last>): Next<First>;
}

/** Begins a pipeline. Stages are joined once; a call then costs no more than the stages themselves. */
export function chainOf<First>(): StageChain<First, First> {
  return chain<First, First>((last) => last);
}

function chain<First, Last>(join: (last: Next<Last>) => Next<First>): StageChain<First, Last> {
  return {
    stage: (stage) => chain((next) => join((call) => stage(call, next))),
    end: join,
  };
}

/** Continues with a value, synchronously where it is there already. */
export function after<Value, Result>(
  value: MaybePromise<Value>,
  proceed: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}
