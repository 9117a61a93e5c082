import type { CallResult } from '../core/calls/call.ts';
import type { OutcomeName } from '../core/calls/call-outcome.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';
import type { Decision } from '../core/calls/decision.ts';
import { createSignalbox } from '../signalbox/create-signalbox.ts';
import type { PolicySource } from '../pipeline/policies/compile-policies.ts';
import { type RecordedSession, type SessionCall } from './recorded-session.ts';
import { replay } from './replay.ts';

/** One call of a session, then and now. */
export interface ReplayedCall {
  readonly recorded: SessionCall['recorded'];
  readonly replayed: CallResult;
  /** What is not as it was: the outcome, what came back, or only what the given rules say of it. */
  readonly differs: 'no' | 'outcome' | 'content' | 'decision';
}

/** How a session is run again. */
export interface SessionReplayOptions {
  /** Rules to decide its calls by. Without any, every call ends as it did. */
  readonly policies?: readonly PolicySource[];
}

/** These may have acted, so whoever was asked had said yes. */
const begun: ReadonlySet<OutcomeName> = new Set(['timed-out', 'cancelled', 'unknown', 'failed']);

/**
 * Runs the calls of a recorded session again, one after the other through the whole pipeline, against what its servers
 * answered then. Nothing outside is reached. Humans answer as they did, and a call that did not run to an answer (it was
 * refused, waited, ran out of time …) ends as it did, unless the given rules decide it otherwise.
 */
export async function* replaySession(
  session: RecordedSession,
  { policies = [] }: SessionReplayOptions = {},
): AsyncGenerator<ReplayedCall> {
  let current: SessionCall | undefined;
  const box = await createSignalbox({
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
      const isOtherwise = policies.length > 0 && isDecidedOtherwise(recorded.decision, made.decision);
      const replayed = current.ran || isOtherwise ? made : endedAsBefore(made, outcome);
      yield { recorded, replayed, differs: differenceOf(outcome, replayed) ?? (isOtherwise ? 'decision' : 'no') };
    }
  } finally {
    await box.close();
  }
}

/** What a permission mode or a remembered approval made of a decision is not the rules' doing. */
function isDecidedOtherwise(then: Decision | undefined, now: Decision | undefined): boolean {
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
