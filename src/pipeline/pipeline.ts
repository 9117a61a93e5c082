import type { CallResult } from '../core/calls/call.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';
import { text } from '../core/tools/content.ts';
import { type Call, toCallResult } from './call-lifecycle.ts';
import { PolicyDecider, type DeciderParts } from './policies/decider.ts';
import { type Next, chainOf } from './stage.ts';
import type { ActivePolicies } from './policies/active-policies.ts';
import { type ApproveParts, approve } from './stages/approve.ts';
import { type BoundOptions, bound } from './stages/bound.ts';
import { type CheckpointParts, checkpoint } from './stages/checkpoint.ts';
import { decide } from './stages/decide.ts';
import { deduplicate } from './stages/deduplicate.ts';
import { type ExecuteOptions, execute } from './stages/execute.ts';
import { type LimitOptions, limit, shed } from './stages/limit.ts';
import { type CallMetrics, observe } from './stages/observe.ts';
import { recordIntent } from './stages/record-intent.ts';
import { type RecordOutcomeOptions, recordOutcome } from './stages/record-outcome.ts';
import { type ResolveParts, resolve } from './stages/resolve.ts';
import { reuse } from './stages/reuse.ts';
import { retry } from './stages/retry.ts';
import { validate } from './stages/validate.ts';

/** Dependencies and options of the stages. */
export interface PipelineParts
  extends
    Omit<ApproveParts, 'decider'>,
    BoundOptions,
    CheckpointParts,
    ExecuteOptions,
    LimitOptions,
    RecordOutcomeOptions,
    ResolveParts,
    DeciderParts {
  readonly policies: ActivePolicies;
  /** The version of this package, for traces. */
  readonly version: string;
  readonly metrics: CallMetrics | undefined;
  readonly traceContent: boolean;
}

/** Builds the pipeline that every call of a tool passes through. Each stage wraps those below it. */
export function createPipeline(parts: PipelineParts): CallRunner {
  const { store, journal, redactor, policies } = parts;
  const decider = new PolicyDecider(parts);
  const stages = chainOf<Call>()
    .stage(observe({ version: parts.version, metrics: parts.metrics, redactor, content: parts.traceContent }))
    .stage(recordOutcome(parts))
    .stage(resolve(parts))
    .stage(shed(parts.limiters))
    .stage(validate)
    .stage(deduplicate(store))
    .stage(decide(decider, redactor))
    .stage(approve({ ...parts, decider }))
    .stage(reuse())
    .stage(recordIntent(store, journal, redactor, policies))
    .stage(bound(parts))
    .stage(checkpoint(parts))
    .stage(retry(parts))
    .stage(limit(parts))
    .end(execute(parts));
  return new CallRunner(stages);
}

/** Runs calls through a pipeline, and counts the running ones. */
export class CallRunner {
  readonly #pipeline: Next<Call>;
  #active = 0;
  #onIdle: (() => void) | undefined;

  constructor(pipeline: Next<Call>) {
    this.#pipeline = pipeline;
  }

  /** Runs a call. When a human edited its arguments, the result is that of the call which replaces it. */
  run(call: Call): Promise<CallResult> {
    this.#active += 1;
    const ended = (outcome: CallOutcome): CallResult | Promise<CallResult> => {
      const { replacement } = call;
      if (replacement !== undefined) return this.#runReplacement(replacement);
      this.#leave();
      return toCallResult(call, outcome);
    };
    const failed = (error: unknown): never => {
      this.#leave();
      throw error;
    };
    try {
      return Promise.resolve(this.#pipeline(call)).then(ended, failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** Resolves when no call is running. */
  idle(): Promise<void> {
    return new Promise((onIdle) => (this.#active === 0 ? onIdle() : (this.#onIdle = onIdle)));
  }

  async #runReplacement({ call, note }: NonNullable<Call['replacement']>): Promise<CallResult> {
    try {
      const result = await this.run(call);
      return { ...result, content: [text(note), ...result.content] };
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle?.();
  }
}
