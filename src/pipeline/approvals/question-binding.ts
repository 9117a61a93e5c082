import { hash } from 'node:crypto';
import type { ApprovalQuestion } from '../../core/calls/approval.ts';
import { type AskingRule, type Decision, askingRules } from '../../core/calls/decision.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { requestDigest } from '../../journal/integrity/approval-history.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import { argumentsDigest } from '../recording/canonical-arguments.ts';
import { recordableArguments } from '../recording/call-entries.ts';
import { hideParts } from './hidden-parts.ts';

/** Returns the question about a call as it is stored and shown to humans, without secrets. */
export function toQuestion(call: DecidedCall, { argumentsHash }: Binding, redactor: Redactor): ApprovalQuestion {
  const { definition, source, flags } = call.tool;
  const { session } = call;
  const about = {
    callId: call.id,
    tool: definition.name,
    server: source.server,
    effect: definition.effect,
    definitionHash: definition.definitionHash,
    principal: call.principal,
    ...omitUndefined({ session }),
    ...(call.args.rawText === undefined
      ? {}
      : { givenArguments: JSON.parse(recordableArguments(call.args.rawText)) as JsonObject }),
    decision: call.decision,
    ...(flags.length === 0 ? {} : { flags }),
  };
  const redacted = JSON.parse(redactor.json(JSON.stringify(about))) as typeof about;
  return { ...redacted, ...hideParts(call.args.text, redactor, 'everything'), argumentsHash };
}

/** Returns the journal entry that also adds the question to the inbox. */
export function questionDraft(record: ApprovalRecord, question: ApprovalQuestion): EntryDraft {
  const { callId, tool, session, ...facts } = question;
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

/** The digests that bind an approval to a call. */
export interface Binding {
  /** A digest of principal, tool, definition, arguments, the rules that ask and protected files. Equal digests mean the same question. */
  readonly binding: string;
  /** A digest of principal, tool and arguments. Distinguishes an outdated approval from one of another call. */
  readonly subject: string;
  readonly argumentsHash: string;
}

/** Returns the digests of a call. They cover the arguments that the tool would receive, in canonical form (RFC 8785). */
export function bindingOf(call: DecidedCall): Binding {
  const { definition } = call.tool;
  const argumentsHash = argumentsDigest(call.args.text);
  const { kind, id } = call.principal;
  // When a link leads to another file than at the time of the answer, the question differs.
  const { protectedFiles = [] } = call.decision;
  const subject = sha256(JSON.stringify([kind, id, definition.id.server, definition.id.tool, argumentsHash]));
  return {
    binding: sha256(
      JSON.stringify([
        subject,
        definition.definitionHash,
        ...askingRules(call.decision).map(keyOf).toSorted(),
        ...protectedFiles,
      ]),
    ),
    subject,
    argumentsHash,
  };
}

/** Returns the rules that ask about a call and did not ask when it was approved, have changed since, or asked about other protected files. */
export function unansweredRules(now: Decision, approved: Decision): readonly AskingRule[] {
  const [files, answeredFiles] = [now, approved].map(({ protectedFiles = [] }) => JSON.stringify(protectedFiles));
  if (files !== answeredFiles) return askingRules(now);
  const answered = new Set(askingRules(approved).map(keyOf));
  return askingRules(now).filter((asking) => !answered.has(keyOf(asking)));
}

/** Returns the key of a rule. The same id with another text is a different rule. */
function keyOf({ rule, version = '' }: AskingRule): string {
  return JSON.stringify([rule, version]);
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
