import { Approvals } from '../../../src/pipeline/approvals/approvals.ts';
import { Questions } from '../../../src/pipeline/approvals/questions.ts';
import { Call } from '../../../src/pipeline/call-lifecycle.ts';
import { CallRunner } from '../../../src/pipeline/pipeline.ts';
import { PolicyDecider } from '../../../src/pipeline/policies/decider.ts';
import { UnsettledCalls } from '../../../src/pipeline/recording/unsettled-calls.ts';
import { createContent } from '../../../src/pipeline/box-content.ts';
import { FileGuard } from '../../../src/pipeline/files/file-guard.ts';
import { chainOf } from '../../../src/pipeline/stage.ts';
import { ActivePolicies } from '../../../src/pipeline/policies/active-policies.ts';
import type { PolicySource } from '../../../src/pipeline/policies/compile-policies.ts';
import { SessionStates } from '../../../src/pipeline/handler/session-states.ts';
import { approve } from '../../../src/pipeline/stages/approve.ts';
import { decide } from '../../../src/pipeline/stages/decide.ts';
import { deduplicate } from '../../../src/pipeline/stages/deduplicate.ts';
import { execute } from '../../../src/pipeline/stages/execute.ts';
import { recordIntent } from '../../../src/pipeline/stages/record-intent.ts';
import { recordOutcome } from '../../../src/pipeline/stages/record-outcome.ts';
import { resolve } from '../../../src/pipeline/stages/resolve.ts';
import { validate } from '../../../src/pipeline/stages/validate.ts';
import { Waits } from '../../../src/pipeline/limits/waits.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import type { Source } from '../../../src/catalog/source/source.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { JournalReader } from '../../../src/journal/queries/journal-reader.ts';
import { Recovery } from '../../../src/journal/recovery.ts';
import { createRedactor } from '../../../src/redaction/redactor.ts';
import type { CallOptions } from '../../../src/core/calls/call.ts';
import type { CallOutcome } from '../../../src/core/calls/call-outcome.ts';
import type { Decision } from '../../../src/core/calls/decision.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

/** A box with only the parts between a call and its tool, which loads quickly: fault tests start hundreds of them. */
export interface CoreBox {
  call(tool: string, args: object, options?: CallOptions): Promise<CallOutcome & { readonly callId: string }>;
  readonly approvals: Approvals;
  readonly journal: JournalReader;
  /** Replaces the rules, if the box was opened with rules. */
  setPolicies(rules: readonly PolicySource[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a core box on a file, with rules or with a function in place of a policy. By default, everything needs approval, in
 * version `1`.
 */
export async function openCoreBox(
  file: string,
  sources: readonly Source[],
  policy: readonly PolicySource[] | ((tool: string) => Decision) = () => ({
    answer: 'ask',
    rule: 'test',
    reason: 'a test',
    policy: '1',
  }),
): Promise<CoreBox> {
  const store = sqliteStore({ file });
  const journal = new Journal(store);
  const redactor = createRedactor();
  const catalog = new Catalog();
  const waits = new Waits();
  const approvals = new Approvals(store, journal, redactor);
  const questions = new Questions({
    store,
    journal,
    redactor,
    waits,
    approvals,
    expireAfterMs: 3_600_000,
    shared: true,
  });
  const policies = new ActivePolicies(store, journal);
  const decider: Pick<PolicyDecider, 'decide'> =
    typeof policy === 'function'
      ? { decide: (call) => Object.assign(call, { decision: policy(call.name) }) }
      : new PolicyDecider({ policies, redactor, waits, files: new FileGuard(undefined) });
  if (typeof policy !== 'function') await policies.set(policy);
  const content = createContent({
    catalog,
    redactor,
    call: (name, args, options) => runner.run(new Call(name, args, options, redactor)),
  });
  const unsettled = new UnsettledCalls(store, journal);
  const runner = new CallRunner(
    chainOf<Call>()
      .stage(recordOutcome({ journal, redactor, isRecording: false, policies, unsettled }))
      .stage(resolve({ catalog, waits, timeoutMs: 60_000 }))
      .stage(validate)
      .stage(deduplicate(store))
      .stage(decide(decider, redactor))
      .stage(approve({ store, catalog, redactor, approvals, questions, decider }))
      .stage(recordIntent(store, journal, redactor, policies))
      .end(execute({ states: new SessionStates(), content, waits, redactor, timeoutMs: 60_000, maxStoredBytes: 1e6 })),
  );
  await new Recovery(store, journal).start();
  for (const source of sources) catalog.mount(source);
  return {
    call: (tool, args, options = {}) => runner.run(new Call(tool, args, options, redactor)),
    approvals,
    journal: new JournalReader(store),
    setPolicies: (rules) => policies.set(rules),
    async close() {
      waits.endAll();
      questions.close();
      await unsettled.close();
      await journal.drain();
      await store.close();
    },
  };
}
