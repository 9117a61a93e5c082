import { requestDigest } from '../../journal/approval-history.ts';
import type { ApprovalRecord } from '../../journal/approval-store.ts';
import type { EntryDraft } from '../../journal/entry.ts';
import type { Redactor } from '../../journal/redaction.ts';
import type { AskedCall } from '../../core/calls/approval.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type Call, toolOf } from '../call.ts';
import { recordableArguments } from '../record.ts';
import { type Binding, decisionOf } from './binding.ts';
import { hideParts } from './hidden-parts.ts';

/** What a human is shown of a call, and what is stored of it: without secrets. */
export function askedCall(call: Call, { argumentsHash }: Binding, redactor: Redactor): AskedCall {
  const { definition, source, flags } = toolOf(call);
  const { session } = call;
  const about = {
    callId: call.id,
    tool: definition.name,
    server: source.server,
    effect: definition.effect,
    definitionHash: definition.definitionHash,
    principal: call.principal,
    ...(session === undefined ? {} : { session }),
    ...(call.givenText === undefined
      ? {}
      : { givenArguments: JSON.parse(recordableArguments(call.givenText)) as JsonObject }),
    decision: decisionOf(call),
    ...(flags.length === 0 ? {} : { flags }),
  };
  const redacted = JSON.parse(redactor.json(JSON.stringify(about))) as typeof about;
  return { ...redacted, ...hideParts(call.argumentsText, redactor, 'everything'), argumentsHash };
}

/** The question as the journal and the inbox get it, in one. */
export function askDraft(record: ApprovalRecord, asked: AskedCall): EntryDraft {
  const { callId, tool, session, ...facts } = asked;
  const expiresAt = new Date(record.expiresAt).toISOString();
  return {
    type: 'ApprovalRequested',
    at: record.requestedAt,
    call: callId,
    session: session ?? '',
    tool,
    outcome: '',
    body: JSON.stringify({ approvalId: record.id, ...facts, expiresAt, digest: requestDigest(record) }),
    approval: { kind: 'ask', record },
  };
}
