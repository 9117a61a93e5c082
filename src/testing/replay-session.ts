import type { CallResult } from '../core/calls/call.ts';
import type { CallOutcome, OutcomeName } from '../core/calls/call-outcome.ts';
import type { Decision } from '../core/calls/decision.ts';
import { openSignalbox } from '../signalbox/create-signalbox.ts';
import type { HostPolicySource, PolicySource } from '../pipeline/policies/compile-policies.ts';
import type { RecordedSession, SessionCall } from './recorded-session.ts';
import { replay } from './replay.ts';

/** One call of a session, as recorded and as replayed. */
export interface ReplayedCall {
  readonly recorded: SessionCall['recorded'];
  readonly replayed: CallResult;
  /** The difference: in the outcome, in the content of the result, or only in the decision of the given rules. */
  readonly differs: 'no' | 'outcome' | 'content' | 'decision';
}

/** Options of `replaySession`. */
export interface SessionReplayOptions {
  /** The rules that decide the calls. Without rules, every call ends as recorded. */
  readonly policies?: readonly PolicySource[];
}

/** The outcomes of calls that may have run, so that a human who was asked must have approved them. */
const begun: ReadonlySet<OutcomeName> = new Set(['timed-out', 'cancelled', 'unknown', 'failed']);

/**
 * Replays the calls of a recorded session sequentially through the whole pipeline, against the recorded results. Contacts no real
 * server. Approvals are answered as recorded. A call without a recorded result (denied, awaiting approval, timed out …) ends as
 * recorded, unless the given rules decide it differently.
 */
export function replaySession(
  session: RecordedSession,
  { policies = [] }: SessionReplayOptions = {},
): AsyncGenerator<ReplayedCall> {
  return replayWith(session, policies);
}

/** Does the work of `replaySession`, with rules that our own host may have parsed already. */
export async function* replayWith(
  session: RecordedSession,
  policies: readonly HostPolicySource[],
): AsyncGenerator<ReplayedCall> {
  let current: SessionCall | undefined;
  const box = await openSignalbox({
    servers: session.cassettes.map((cassette) => replay(cassette)),
    builtin: false,
    policies,
    approve: () => ({ allow: current !== undefined && (current.ran || begun.has(current.recorded.outcome)) }),
  });
  try {
    for (current of session.calls) {
      const { recorded, outcome } = current;
      const made = await box.call(recorded.tool, recorded.arguments, {
        session: session.session,
        principal: recorded.principal,
      });
      const isDifferent = policies.length > 0 && isDecidedDifferently(recorded.decision, made.decision);
      const replayed = current.ran || isDifferent ? made : endedAsBefore(made, outcome);
      yield { recorded, replayed, differs: differenceOf(outcome, replayed) ?? (isDifferent ? 'decision' : 'no') };
    }
  } finally {
    await box.close();
  }
}

/** Returns whether the rules decide a call differently. Ignores changes made by a permission mode or a remembered approval. */
function isDecidedDifferently(then: Decision | undefined, now: Decision | undefined): boolean {
  return then !== undefined && now !== undefined && (then.ruled ?? then).answer !== now.answer;
}

function endedAsBefore({ callId, tool, durationMs, decision }: CallResult, outcome: CallOutcome): CallResult {
  return { callId, tool, durationMs, ...outcome, ...(decision === undefined ? {} : { decision }) };
}

function differenceOf(then: CallOutcome, now: CallResult): 'outcome' | 'content' | undefined {
  if (now.outcome !== then.outcome) return 'outcome';
  if (now.outcome !== 'completed') return undefined;
  const [before, after] = [then, now].map(({ content, structuredContent }) =>
    JSON.stringify([content, structuredContent]),
  );
  return before === after ? undefined : 'content';
}
