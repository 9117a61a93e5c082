import type { CallResult } from '../model/call.ts';
import { createSignalbox } from '../signalbox.ts';
import type { PolicySource } from '../call/policy-source.ts';
import { type RecordedSession, type SessionCall } from './recorded-session.ts';
import { replay } from './replay.ts';

/** One call of a session, then and now. */
export interface ReplayedCall {
  readonly recorded: SessionCall['recorded'];
  readonly replayed: CallResult;
  /** What is not as it was: the outcome, or what came back. */
  readonly differs: 'no' | 'outcome' | 'content';
}

/** How a session is run again. */
export interface SessionReplayOptions {
  /** Rules to decide its calls by. Without any, what ran is let run and what did not is refused, as it was. */
  readonly policies?: readonly PolicySource[];
}

/**
 * Runs the calls of a recorded session again, one after the other through the whole pipeline, against what its servers
 * answered then. Nothing outside is reached. Humans answer as they did.
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
    approve: () => ({ allow: current?.ran === true }),
  });
  try {
    for (current of session.calls) {
      const { recorded, outcome } = current;
      const replayed = await box.call(recorded.tool, recorded.arguments, {
        session: session.session,
        principal: recorded.principal,
      });
      const sameOutcome = replayed.outcome === recorded.outcome;
      const sameContent =
        JSON.stringify([replayed.content, replayed.structuredContent]) ===
        JSON.stringify([outcome.content, outcome.structuredContent]);
      const isCompared = current.ran && replayed.outcome === 'completed';
      yield { recorded, replayed, differs: !sameOutcome ? 'outcome' : isCompared && !sameContent ? 'content' : 'no' };
    }
  } finally {
    await box.close();
  }
}
