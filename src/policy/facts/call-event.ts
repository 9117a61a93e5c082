import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import type { CallError } from '../../core/calls/call-outcome.ts';
import type { ArgumentFacts } from '../../core/calls/argument-facts.ts';
import type { CallErrorCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Effect } from '../../core/tools/tool.ts';
import type { RecordedNaming } from '../../core/tools/tool-names.ts';

/** A call that has ended, as facts are made from it. Everything in it can be read back from the journal. */
export interface CallEvent {
  /** Its place in the journal. */
  readonly seq: number;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly call: string;
  readonly tool: string;
  /** Present when the rendered name differs from the server's own name for the tool. */
  readonly naming?: RecordedNaming | undefined;
  readonly effect: Effect;
  readonly labels: readonly string[];
  /** It ended as `completed`. */
  readonly ok: boolean;
  /** As they are recorded. */
  readonly arguments: JsonObject;
  /** Present where the arguments are not recorded whole. */
  readonly counted?: ArgumentFacts | undefined;
  /** The output of the tool, as far as it is known. */
  readonly output: string;
  /** Fingerprints of the whole output, where `output` is only a part of it. */
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
 * Returns whether the tool may have acted. In doubt it may: a call that was cancelled while it ran looks like one that was
 * cancelled while it waited. A call that was answered from an idempotency key has no decision and did not run again.
 */
export function mayHaveRun(outcome: OutcomeName, error: CallError | undefined, wasDecided: boolean): boolean {
  if (!wasDecided || outcome === 'denied' || outcome === 'awaiting-approval' || outcome === 'stale') return false;
  return error === undefined || !neverRan.has(error.code);
}
