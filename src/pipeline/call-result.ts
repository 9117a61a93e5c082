import type { CallResult } from '../core/calls/call.ts';
import type { CallOutcome } from 'src/core/calls/call-outcome.ts';
import type { Call } from './call.ts';

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** What the caller gets back. */
export function callResult(call: Call, ended: CallOutcome): CallResult {
  const ran = call.replacedBy?.call ?? call;
  const outcome = call.replacedBy?.outcome ?? ended;
  const result: Mutable<CallResult> = { callId: ran.id, tool: ran.name, ...outcome, durationMs: ran.durationMs };
  if (ran.costUsd !== undefined) result.costUsd = ran.costUsd;
  if (ran.decision !== undefined) result.decision = ran.decision;
  if (ran.changes !== undefined) result.changes = ran.changes.changes;
  if (ran.cached) result.cached = true;
  return result;
}
