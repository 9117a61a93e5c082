import { principalName } from '../../core/principal.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { Store } from '../../journal/store/store.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { type Decision, askingRules } from '../../core/calls/decision.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { parseAnswer, stateOf } from '../approvals/approval-view.ts';
import type { Approvals } from '../approvals/approvals.ts';
import { type Binding, toQuestion, bindingOf } from '../approvals/question-binding.ts';
import { type Questions, answersCall } from '../approvals/questions.ts';
import { isRecordedApproval } from '../approvals/recorded-answer.ts';
import { rememberedDecision } from '../approvals/remembered.ts';
import { replacementOf } from '../approvals/edited-arguments.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import { hiddenByProfile } from './resolve.ts';
import { endedOutcome } from '../limits/waits.ts';
import type { PolicyDecider } from '../policies/decider.ts';

/** Dependencies of the stage. */
export interface ApproveParts {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly redactor: Redactor;
  readonly approvals: Approvals;
  readonly questions: Questions;
  /** Decides a call again after it waited for its answer. */
  readonly decider: Pick<PolicyDecider, 'decide'>;
}

const defaultWaitMs = 60_000;

/**
 * Asks a human about a call whose decision is "ask", unless a remembered approval answers it. A call whose arguments the human edited ends
 * here, with a replacement for the pipeline to run.
 */
export function approve(parts: ApproveParts): Stage<DecidedCall> {
  const { store, catalog, redactor, approvals, questions } = parts;

  return (call, next) => (call.decision.answer === 'ask' && call.approval === undefined ? ask(call, next) : next(call));

  async function ask(call: DecidedCall, next: Next<DecidedCall>): Promise<CallOutcome> {
    // Copied, because the caller may modify its object while the call waits.
    if (call.args.value === call.args.raw) call.args.value = JSON.parse(call.args.text);
    const until = Date.now() + (call.options.waitMs ?? defaultWaitMs);
    for (;;) {
      const binding = bindingOf(call);
      const known = await questions.find(call, binding);
      // An answer to exactly this call has precedence over a remembered approval.
      const answer = known === undefined || stateOf(known) === 'pending' ? undefined : known;
      const decision = answer === undefined ? await findRememberedDecision(call, binding) : undefined;
      if (decision !== undefined) {
        call.decision = decision;
        return next(call);
      }
      const open = answer ?? (await openQuestion(call, binding));
      if ('outcome' in open) return open;
      const answered = await questions.wait(open, call, until);
      if ('ended' in answered) return endedOutcome(call, answered.ended, 'it waited for approval');
      const { record } = answered;
      const refusal = refusalOf(call, record) ?? (record === open ? undefined : await checkAgain(call));
      if (refusal !== undefined) return refusal;
      if (call.decision.answer === 'allow') return next(call);
      // The rules changed while the call waited, so the answer was to another question.
      if (!answersCall(record, call)) continue;
      if (!(await isRecordedApproval(store, record))) return unrecordedOutcome(call, record);
      if (parseAnswer(record).arguments !== undefined) return replaceCall(call, record, redactor);
      call.approval = record.id;
      const outcome = await next(call);
      if (outcome.error?.code !== 'approval-used') return outcome;
      // An identical call has used the approval, which admits one run.
      call.approval = undefined;
    }
  }

  async function findRememberedDecision(call: DecidedCall, binding: Binding): Promise<Decision | undefined> {
    const question = toQuestion(call, binding, redactor);
    const rules = await approvals.remembered(question);
    return rules === undefined ? undefined : rememberedDecision(rules, question.decision);
  }

  async function openQuestion(call: DecidedCall, binding: Binding): Promise<ApprovalRecord | CallOutcome> {
    try {
      return (await questions.open(call, binding)) ?? noChannelOutcome(call);
    } catch (error) {
      const message = `${call.name} was not run: its question could not be recorded: ${messageOf(error)}`;
      return failedOutcome('failed', 'journal-unavailable', message);
    }
  }

  /** Checks a call again after its wait: the tool must be the one that was approved, and its profile and policy must still admit the call. */
  async function checkAgain(call: DecidedCall): Promise<CallOutcome | undefined> {
    const { definition } = call.tool;
    const tool = catalog.find(definition.name);
    if (tool?.definition.definitionHash !== definition.definitionHash) {
      return failedOutcome(
        'stale',
        'definition-changed',
        `${call.name} changed or was removed while it waited for approval; it was not run, and the approval does not apply to the changed tool`,
      );
    }
    const hidden = hiddenByProfile(call, tool, catalog);
    if (hidden !== undefined) return hidden;
    const decided = await parts.decider.decide(call);
    return 'outcome' in decided ? decided : undefined;
  }
}

/** Ends a call in favor of its replacement with edited arguments. */
function replaceCall(call: DecidedCall, record: ApprovalRecord, redactor: Redactor): CallOutcome {
  try {
    call.replacement = replacementOf(call, record, redactor);
  } catch (error) {
    if (!(error instanceof SignalboxError && error.code === 'edit-invalid')) throw error;
    // The approval must not run anything, and the next call asks again.
    call.recording.closesApproval = record.id;
    return failedOutcome('failed', 'arguments-invalid', `${call.name} was not run: ${error.message}`);
  }
  const { note, call: replacing } = call.replacement;
  const message = `${note} This call was not run; ${replacing.id} replaces it`;
  return failedOutcome('denied', 'arguments-edited', message);
}

function refusalOf(call: DecidedCall, record: ApprovalRecord): CallOutcome | undefined {
  switch (stateOf(record)) {
    case 'pending':
      return awaitingOutcome(call, record);
    case 'denied':
      return denialOutcome(call, record);
    case 'expired':
      return failedOutcome(
        'denied',
        'approval-expired',
        `${call.name} was not run: its approval request has expired; call it again to ask again`,
      );
    case 'approved':
    case 'used':
      return undefined;
  }
}

/** Ends a call whose approval is in no entry, and closes the approval, so that the next call asks again. */
function unrecordedOutcome(call: DecidedCall, record: ApprovalRecord): CallOutcome {
  call.recording.closesApproval = record.id;
  const message = `${call.name} was not run: its approval is not in the journal, because its entries were pruned or it was forged`;
  return failedOutcome(
    'denied',
    'approval-failed',
    `${message}; call it again to ask again, and run signalbox journal verify`,
  );
}

function awaitingOutcome(call: DecidedCall, { id, expiresAt }: ApprovalRecord): CallOutcome {
  const message =
    `${call.name} waits for a human's approval (${askingReasons(call)}) and was not run yet. The question stays open ` +
    `until ${new Date(expiresAt).toISOString()}: make exactly the same call again once it is approved, and it runs at once`;
  return { ...failedOutcome('awaiting-approval', 'approval-awaited', message), approvalId: id };
}

function denialOutcome(call: DecidedCall, record: ApprovalRecord): CallOutcome {
  call.recording.closesApproval = record.id;
  const { by, reason } = parseAnswer(record);
  const why = reason === undefined ? '' : `: ${reason}`;
  if (by.kind !== 'human') return failedOutcome('denied', 'approval-failed', `${call.name} was not run${why}`);
  return failedOutcome('denied', 'approval-denied', `${call.name} was refused by ${principalName(by)}${why}`);
}

function askingReasons({ decision }: DecidedCall): string {
  return askingRules(decision)
    .map(({ reason }) => reason)
    .join('; ');
}

function noChannelOutcome(call: DecidedCall): CallOutcome {
  const { effect } = call.tool.definition;
  return failedOutcome(
    'denied',
    'approval-unavailable',
    `${call.name} needs approval (${askingReasons(call)}) and nobody can be asked. To allow it, give createSignalbox an ` +
      `"approve" callback that asks a human, or "data", so that "signalbox approve" can answer; ` +
      `if the tool only reads, declare effect: "read" (it is "${effect}" now)`,
  );
}
