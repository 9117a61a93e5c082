import { principalName } from '../../core/principal.ts';
import type { ApprovalRecord } from '../../journal/approval-store.ts';
import type { CallOutcome } from 'src/core/calls/call-outcome.ts';
import { text } from '../../core/tools/content.ts';
import { newCallId } from '../../core/identifiers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';
import type { Call, Next } from '../call.ts';
import { askedOf, givenOf } from './approval-view.ts';
import { asGiven, describeEdit, restoreRedacted } from './edited-arguments.ts';

/**
 * Runs the call that a human made of this one by editing its arguments: a new call, checked and decided like any other, that
 * runs by this approval. This one is over, was not run, and says where its result is; its caller gets the other's.
 */
export async function runEdited(call: Call, record: ApprovalRecord, run: Next): Promise<CallOutcome> {
  const { arguments: shown } = askedOf(record);
  const { arguments: edited = {}, by } = givenOf(record);
  const received = JSON.parse(call.argumentsText) as JsonObject;
  const wanted = restoreRedacted(edited, shown, received) as JsonObject;
  const given = call.givenText === undefined ? received : (JSON.parse(call.givenText) as JsonObject);
  const replacement: Call = {
    ...call,
    id: newCallId(),
    given: asGiven(wanted, received, given),
    wanted,
    startedAt: Date.now(),
    tool: undefined,
    decision: undefined,
    countedBy: undefined,
    counted: undefined,
    givenText: undefined,
    approval: record.id,
    replaces: call.id,
  };
  const outcome = await run(replacement);
  // What could not be run would fail again and again: it is over, and the next call asks again.
  if (!replacement.started) call.told = record.id;
  const note = `${principalName(by)} edited the arguments of ${call.name} before approving it (${describeEdit(shown, edited)}).`;
  call.replacedBy = { call: replacement, outcome: { ...outcome, content: [text(note), ...outcome.content] } };
  return failedOutcome(
    'denied',
    'arguments-edited',
    `${note} This call was not run; ${replacement.id} was made in its place and is "${outcome.outcome}"`,
  );
}
