import type { OutcomeName, CallError } from '../../core/calls/call-outcome.ts';
import type { ArgumentFacts } from '../../core/calls/argument-facts.ts';
import type { CallErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Effect } from '../../core/tools/tool.ts';
import type { RecordedNaming } from '../../core/tools/tool-names.ts';

/** A call that has ended, as an input for facts. All of it can be read from the journal. */
export interface CallEvent {
  /** Its position in the journal. */
  readonly seq: number;
  /** The end of the call, in milliseconds since 1970. */
  readonly at: number;
  readonly call: string;
  readonly tool: string;
  /** Present when the rendered name differs from the server's own name for the tool. */
  readonly naming?: RecordedNaming | undefined;
  readonly effect: Effect;
  readonly labels: readonly string[];
  /** Whether it ended as `completed`. */
  readonly ok: boolean;
  /** The arguments as recorded. */
  readonly arguments: JsonObject;
  /** The facts of the arguments. Present when the arguments are not recorded in full. */
  readonly argumentFacts?: ArgumentFacts | undefined;
  /** The known part of the tool's output. */
  readonly output: string;
  /** Fingerprints of the whole output, when `output` is only a part of it. */
  readonly prints?: Float64Array | undefined;
  /** The reported cost. */
  readonly cost: number;
}

const neverRan: ReadonlySet<CallErrorCode> = new Set<CallErrorCode>([
  'tool-unknown',
  'tool-hidden',
  'server-down',
  'definition-changed',
  'arguments-invalid',
  'idempotency-conflict',
  'policy-denied',
  'approval-denied',
  'approval-unavailable',
  'approval-failed',
  'server-busy',
  'rate-limited',
  'journal-unavailable',
]);

/**
 * Returns whether the tool may have acted. When in doubt, returns true: a call that was cancelled while it ran looks like one that
 * was cancelled while it waited. A call that was answered by an idempotency key has no decision and did not run again.
 */
export function mayHaveRun(outcome: OutcomeName, error: CallError | undefined, wasDecided: boolean): boolean {
  if (!wasDecided || outcome === 'denied' || outcome === 'awaiting-approval' || outcome === 'stale') return false;
  return error === undefined || !neverRan.has(error.code);
}
