import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { recordedPrincipal } from '../../journal/entries/recorded-name.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { renderContent } from '../../core/tools/content.ts';
import type { Decision } from '../../core/calls/decision.ts';
import { messageOf } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';
import { askUnaccepted, decideByDefault } from '../../policy/default-policy.ts';
import { applyPermissionMode } from '../../policy/apply-permission-mode.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { askToolPolicy, strongest } from '../../policy/code-policy.ts';
import { after } from '../stage.ts';
import type { Opened } from '../policies/session-facts.ts';
import { type Call, toolOf, workspaceOf } from '../call-lifecycle.ts';
import { type Stage } from '../stage.ts';
import { type Next } from '../stage.ts';
import type { FileGuard } from '../files/file-guard.ts';
import { type Policies, type PoliciesInForce, decidedCall } from '../policies/active-policies.ts';
import { longestOutput } from '../recording/call-entries.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';

const longestHeard = 256 * 1024;
const noDirectories: readonly string[] = [];

/** Asks policy. Without one the default holds: reads run, everything else asks. */
export function decide(policies: Policies, redactor: Redactor, waits: Waits, files: FileGuard): Stage {
  return (call, next) => {
    const { inForce } = policies;
    // A call that waited for an approval is decided again: it counts once, and has ended only once.
    if (call.decision !== undefined) inForce?.book.forget(call.id);
    if (inForce === undefined) return settle(call, next, decideByDefault(toolOf(call).definition));
    const { book, code, policy } = inForce;
    const { definition } = toolOf(call);
    const matters = book.isShared && (code.length > 0 || policy.looksBack(definition));
    const at = book.open(whoseIs(call, redactor), definition);
    const past = book.pastOf(at, matters);
    if (!(past instanceof Promise)) return decided(call, next, inForce, at);
    return past.then(
      () => decided(call, next, inForce, at),
      (error: unknown) =>
        settle(call, next, {
          answer: 'deny',
          rule: 'default:past',
          reason: `what happened before cannot be read: ${messageOf(error)}`,
        }),
    );
  };

  function decided(call: Call, next: Next, inForce: PoliciesInForce, at: Opened): MaybePromise<CallOutcome> {
    const { past } = at;
    const asked = decidedCall(call);
    const ruled = inForce.policy.decide(asked, past);
    // Nothing is waited for between the decision and this: a call decided next to it counts this one.
    const { naming, offered } = toolOf(call);
    const { at: now, arguments: args } = asked;
    const begun = { id: call.id, tool: asked.tool.name, naming, at: now, arguments: args, decided: asked };
    if (ruled.answer !== 'deny' && offered.uncounted !== true) inForce.book.begin(at, begun);
    call.countingPolicy = inForce.policy;
    if (inForce.code.length === 0) return follow(call, next, inForce, asked, ruled);
    const said = inForce.code.map((policy) => askToolPolicy(policy, asked, past.session));
    const answers = said.flatMap((each) => (each instanceof Promise ? [] : (each ?? [])));
    const coming = said.filter((each) => each instanceof Promise);
    if (coming.length === 0) return follow(call, next, inForce, asked, strongest(ruled, answers));
    return waits
      .until(Promise.all(coming), call.options.signal, call.deadline, () => undefined)
      .then((waited) => {
        if ('ended' in waited) return endedOutcome(call, waited.ended, 'a policy was asked');
        const late = waited.value.flatMap((each) => each ?? []);
        return follow(call, next, inForce, asked, strongest(ruled, [...answers, ...late]));
      });
  }

  function follow(
    call: Call,
    next: Next,
    inForce: PoliciesInForce,
    asked: PolicyInput,
    decision: Decision,
  ): MaybePromise<CallOutcome> {
    const isAgain = call.decision !== undefined;
    const outcome = settle(call, next, redacted(decision, redactor));
    if (isAgain) return outcome;
    if (call.decision?.answer === 'deny') {
      inForce.book.forget(call.id);
      return outcome;
    }
    if (!listens(inForce, asked)) return outcome;
    return after(outcome, (ended) => heard(inForce, asked, ended, redactor));
  }

  function settle(call: Call, next: Next, given: Decision): MaybePromise<CallOutcome> {
    const { definition, source } = toolOf(call);
    const { permissionMode } = call.options;
    const { effect, unaccepted } = definition;
    const ruled = unaccepted === undefined ? given : askUnaccepted(given, definition);
    // The effect that an unaccepted definition claims is no reason for a mode to let it run.
    const counted = unaccepted === undefined ? effect : 'irreversible';
    const decision = files.decide(
      {
        principal: call.principal,
        effect,
        server: source.server,
        tool: definition.id.tool,
        arguments: call.argumentsJson,
        workspace: workspaceOf(call) ?? noDirectories,
        permissionMode,
      },
      permissionMode === undefined ? ruled : applyPermissionMode(permissionMode, ruled, counted),
    );
    call.decision = decision;
    // Fail closed: whatever is not a clear answer is a denial.
    if (decision.answer !== 'allow' && decision.answer !== 'ask')
      return failedOutcome(
        'denied',
        'policy-denied',
        `${call.name} was refused by ${decision.rule}: ${decision.reason}`,
      );
    return next(call);
  }
}

/** Whether anything in force wants to hear what came of a call. */
function listens({ policy, code }: PoliciesInForce, asked: PolicyInput): boolean {
  return recognises(policy, asked) || code.some(({ onResult }) => onResult !== undefined);
}

function recognises(policy: PoliciesInForce['policy'], { tool }: PolicyInput): boolean {
  return policy.recognisesValues && tool.labels.length > 0;
}

function heard(
  { policy, code, book }: PoliciesInForce,
  asked: PolicyInput,
  outcome: CallOutcome,
  redactor: Redactor,
): MaybePromise<CallOutcome> {
  for (const each of code)
    if (each.onResult !== undefined) emitSafely(() => each.onResult?.(asked, outcome), undefined);
  if (!recognises(policy, asked)) return outcome;
  const structured = outcome.structuredContent === undefined ? '' : JSON.stringify(outcome.structuredContent);
  const output = `${renderContent(outcome.content, longestHeard)}\n${structured.slice(0, longestHeard)}`;
  const isRecorded = structured === '' && output.length <= longestOutput && redactor.isClean(JSON.stringify(output));
  const stored = book.heard(asked.id, asked.tool.labels, output, isRecorded);
  if (stored === undefined) return outcome;
  // Without them, a flow rule would not recognise the output after a restart: fail closed, as with an outcome that is not recorded.
  const message = `${asked.tool.name} ended as "${outcome.outcome}", but fingerprints of its output could not be stored`;
  return stored.then(
    () => outcome,
    (error: unknown) => failedOutcome('unknown', 'outcome-unrecorded', `${message}: ${messageOf(error)}`),
  );
}

function whoseIs(call: Call, redactor: Redactor): { readonly session: string; readonly principal: string } {
  return { session: call.session ?? '', principal: recordedPrincipal(redactor, call.principal.id) };
}

/** What a rule looked at may hold a secret, and decisions are recorded and shown. */
function redacted(decision: Decision, redactor: Redactor): Decision {
  if (decision.values === undefined) return decision;
  return { ...decision, values: JSON.parse(redactor.json(JSON.stringify(decision.values))) as JsonObject };
}
