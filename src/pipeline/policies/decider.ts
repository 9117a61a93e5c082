import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import { messageOf } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { escapeInvisible } from '../../core/text/escape-invisible.ts';
import { recordedPrincipal } from '../../journal/entries/recorded-name.ts';
import { applyPermissionMode } from '../../policy/apply-permission-mode.ts';
import { evaluateToolPolicy, combineDecisions } from '../../policy/code-policy.ts';
import { askForUnacceptedDefinition, decideByDefault } from '../../policy/default-policy.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { type DecidedCall, type PreparedCall, workspaceOf } from '../call-lifecycle.ts';
import type { FileGuard } from '../files/file-guard.ts';
import { type Waits, endedOutcome } from '../limits/waits.ts';
import { type ActivePolicies, toPolicyInput } from './active-policies.ts';
import type { CallFacts, PolicySet } from './session-facts.ts';

/** Dependencies of the decider. */
export interface DeciderParts {
  readonly policies: ActivePolicies;
  readonly redactor: Redactor;
  readonly waits: Waits;
  readonly files: FileGuard;
}

/** A call with its decision, or the outcome when it ends here. */
type Decided = DecidedCall | CallOutcome;

const noDirectories: readonly string[] = [];

/**
 * Decides calls: by the active rules and policies in code, or by the default policy if there are none. Then applies the pin of the
 * definition, the permission mode of the session and the file guard.
 */
export class PolicyDecider {
  readonly #parts: DeciderParts;

  constructor(parts: DeciderParts) {
    this.#parts = parts;
  }

  /** Decides a call by the current policies. A call that waited for its approval is decided again. */
  decide(call: PreparedCall): MaybePromise<Decided> {
    const { current } = this.#parts.policies;
    // A call that is decided again counts once.
    if (call.decision !== undefined) current?.facts.forget(call.id);
    const { definition } = call.tool;
    if (current === undefined) return this.#settle(call, decideByDefault(definition));
    const { facts, code, policy } = current;
    const mustBeCurrent = facts.isShared && (code.length > 0 || policy.dependsOnHistory(definition));
    const principal = recordedPrincipal(this.#parts.redactor, call.principal.id);
    const callFacts = facts.open({ session: call.session ?? '', principal }, definition);
    const past = facts.pastOf(callFacts, mustBeCurrent);
    if (!(past instanceof Promise)) return this.#apply(call, current, callFacts);
    return past.then(
      () => this.#apply(call, current, callFacts),
      (error: unknown) =>
        this.#settle(call, {
          answer: 'deny',
          rule: 'default:past',
          reason: `the history of calls cannot be read: ${messageOf(error)}`,
        }),
    );
  }

  #apply(call: PreparedCall, set: PolicySet, callFacts: CallFacts): MaybePromise<Decided> {
    const input = toPolicyInput(call);
    call.evaluation = { policies: set, input };
    const ruled = set.policy.decide(input, callFacts.past);
    // There must be no `await` between the decision and this line, so that the next decision counts this call.
    const { naming, offered } = call.tool;
    const begun = {
      id: call.id,
      tool: input.tool.name,
      naming,
      at: input.at,
      arguments: input.arguments,
      decided: input,
    };
    if (ruled.answer !== 'deny' && offered.uncounted !== true) set.facts.begin(callFacts, begun);
    if (set.code.length === 0) return this.#conclude(call, set, ruled);
    const answers = set.code.map((policy) => evaluateToolPolicy(policy, input, callFacts.past.session));
    const known = answers.flatMap((each) => (each instanceof Promise ? [] : (each ?? [])));
    const pending = answers.filter((each) => each instanceof Promise);
    if (pending.length === 0) return this.#conclude(call, set, combineDecisions(ruled, known));
    return this.#parts.waits.until(Promise.all(pending), call.options.signal, call.deadline).then((waited) => {
      if ('ended' in waited) return endedOutcome(call, waited.ended, 'a policy was evaluated');
      const late = waited.value.flatMap((each) => each ?? []);
      return this.#conclude(call, set, combineDecisions(ruled, [...known, ...late]));
    });
  }

  #conclude(call: PreparedCall, { facts }: PolicySet, decision: Decision): Decided {
    const decided = this.#settle(call, withoutSecrets(decision, this.#parts.redactor));
    if ('outcome' in decided) facts.forget(call.id);
    return decided;
  }

  #settle(call: PreparedCall, given: Decision): Decided {
    const { definition, source } = call.tool;
    const { permissionMode } = call.options;
    const { effect, unaccepted } = definition;
    const ruled = unaccepted === undefined ? given : askForUnacceptedDefinition(given, definition);
    // A permission mode must not allow a call because of the effect that an unaccepted definition claims.
    const assumedEffect = unaccepted === undefined ? effect : 'irreversible';
    const decision = this.#parts.files.decide(
      {
        principal: call.principal,
        effect,
        server: source.server,
        tool: definition.id.tool,
        arguments: call.args.json,
        workspace: workspaceOf(call) ?? noDirectories,
        permissionMode,
      },
      permissionMode === undefined ? ruled : applyPermissionMode(permissionMode, ruled, assumedEffect),
    );
    call.decision = decision.answer === 'allow' ? decision : withVisibleReasons(decision);
    // Fail closed: an answer that is neither "allow" nor "ask" is a denial.
    if (decision.answer !== 'allow' && decision.answer !== 'ask') return policyDenied(call, call.decision);
    return call as DecidedCall;
  }
}

/** Returns the outcome of a call that policy denies. */
export function policyDenied({ name }: PreparedCall, { rule, reason }: Decision): CallOutcome {
  return failedOutcome('denied', 'policy-denied', `${name} was refused by ${rule}: ${reason}`);
}

/**
 * Escapes invisible characters in the reasons of a decision, including line breaks, because a reason may repeat text of the caller or of a
 * server, and every surface shows it. White space in the reason of a written rule becomes spaces.
 */
function withVisibleReasons(decision: Decision): Decision {
  const visible = <Part extends { readonly reason: string; readonly version?: string }>(part: Part): Part => ({
    ...part,
    reason: escapeInvisible(part.version === undefined ? part.reason : part.reason.replaceAll(/\s+/g, ' ').trim()),
  });
  const { asks, ruled, shadow } = decision;
  return {
    ...visible(decision),
    ...omitUndefined({ asks: asks?.map(visible), ruled: ruled && visible(ruled), shadow: shadow?.map(visible) }),
  };
}

/** Redacts the values that rules compared, because decisions are recorded and shown. */
function withoutSecrets(decision: Decision, redactor: Redactor): Decision {
  if (decision.values === undefined) return decision;
  return { ...decision, values: JSON.parse(redactor.json(JSON.stringify(decision.values))) as JsonObject };
}
