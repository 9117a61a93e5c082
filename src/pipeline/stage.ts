import type { MaybePromise } from '../core/async/maybe-promise.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';

/** The rest of the pipeline, for a call in state `In`. */
export type Next<In> = (call: In) => MaybePromise<CallOutcome>;

/**
 * One step of the pipeline. It receives a call in state `In`, and either ends it with an outcome or passes it to `next` in state
 * `Out`. Synchronous where possible, because an `async` stage would cost every call a frame and two promises.
 */
export type Stage<In, Out = In> = (call: In, next: Next<Out>) => MaybePromise<CallOutcome>;

/** A chain of stages that accepts `First` and passes on `Last`. */
export interface StageChain<First, Last> {
  /** Adds the next stage. */
  stage<Out>(stage: Stage<Last, Out>): StageChain<First, Out>;
  /** Adds the last stage and returns the pipeline. */
  end(last: Next<Last>): Next<First>;
}

/** Begins a pipeline. Stages are composed once, so a call has no overhead besides the stages. */
export function chainOf<First>(): StageChain<First, First> {
  return chain<First, First>((last) => last);
}

function chain<First, Last>(join: (last: Next<Last>) => Next<First>): StageChain<First, Last> {
  return {
    stage: (stage) => chain((next) => join((call) => stage(call, next))),
    end: join,
  };
}

/** Maps a value, synchronously when it is not a promise. */
export function mapMaybe<Value, Result>(
  value: MaybePromise<Value>,
  proceed: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}
