import type { Catalog } from '../catalog/catalog.ts';
import type { Journal } from '../journal/journal.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Store } from '../journal/store/store.ts';
import type { Approvals } from './approvals/approval-inbox.ts';
import type { Questions } from './approvals/questions.ts';
import type { Next } from './stage.ts';
import { compose } from './stage.ts';
import type { FileGuard } from './files/file-guard.ts';
import type { SizeLimits } from './results/result-size.ts';
import type { Limiters } from './limits/concurrency-limiter.ts';
import type { CallMetrics } from './recording/telemetry.ts';
import type { ActivePolicies } from './policies/active-policies.ts';
import type { SessionStates } from './handler/session-states.ts';
import type { ResourceBox } from './handler/tool-resources.ts';
import { approve } from './stages/approve.ts';
import { bound } from './stages/bound.ts';
import { type CheckpointParts, checkpoint } from './stages/checkpoint.ts';
import { decide } from './stages/decide.ts';
import { deduplicate } from './stages/deduplicate.ts';
import { execute } from './stages/execute.ts';
import { limit, shed } from './stages/limit.ts';
import { observe } from './stages/observe.ts';
import { recordIntent } from './stages/record-intent.ts';
import { recordOutcome } from './stages/record-outcome.ts';
import { resolve } from './stages/resolve.ts';
import { reuse } from './stages/reuse.ts';
import { retry } from './stages/retry.ts';
import { validate } from './stages/validate.ts';
import type { UnsettledCalls } from './recording/unsettled-calls.ts';
import type { Waits } from './limits/waits.ts';

/** What the stages work with. */
export interface PipelineParts extends CheckpointParts {
  readonly catalog: Catalog;
  readonly store: Store;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly states: SessionStates;
  readonly content: ResourceBox;
  readonly waits: Waits;
  readonly policies: ActivePolicies;
  readonly files: FileGuard;
  readonly unsettled: UnsettledCalls;
  /** Of this package, for who traces. */
  readonly version: string;
  readonly metrics: CallMetrics | undefined;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly traceContent: boolean;
  readonly isRecording: boolean;
  readonly timeoutMs: number;
  readonly limiters: Limiters;
  /** The name of the built-in server, if there is one. */
  readonly builtin: string | undefined;
  readonly results: SizeLimits;
  readonly largestResult: number;
}

/** The one way to a tool. Each stage wraps those below it. */
export function createPipeline(parts: PipelineParts): Next {
  const { store, journal, redactor, waits } = parts;
  const decideStage = decide(parts.policies, redactor, waits, parts.files);
  const run: Next = compose([
    observe({ version: parts.version, metrics: parts.metrics, redactor, content: parts.traceContent }),
    recordOutcome({
      ...parts,
      onRunning: (call) => parts.policies.running(call),
      onEnding: (call, outcome) => parts.policies.ending(call, outcome),
      onUnrecorded(call) {
        parts.policies.current?.facts.forget(call.id);
        parts.unsettled.add(call);
      },
    }),
    resolve(parts),
    shed(parts.limiters),
    validate,
    deduplicate(store),
    decideStage,
    approve({ ...parts, decide: decideStage, run: (call) => run(call) }),
    reuse(),
    recordIntent(store, journal, redactor, parts.policies),
    bound(parts),
    checkpoint(parts),
    retry(parts),
    limit(parts),
    execute(parts),
  ]);
  return run;
}
