import type { CallOutcome } from '../core/calls/call-outcome.ts';
import { type Decision, askingRules } from '../core/calls/decision.ts';
import { messageOf } from '../core/errors.ts';
import type { PastCall } from './facts/facts.ts';
import { isStronger } from './rules/rule.ts';
import type { PolicyInput } from './policy.ts';

/** The facts about the session that a policy in code can read. A pattern matches names of tools, and may contain `*`. */
export interface SessionHistory {
  /** The labels of the tools that have run. */
  readonly labels: ReadonlySet<string>;
  /** The sum of the reported costs. */
  readonly cost: number;
  /** Returns the last call of matching tools that may have acted. A running call is later than all that have ended. */
  last(pattern: string): PastCall;
  /** Returns the last call of matching tools that completed and was not undone. */
  lastOk(pattern: string): PastCall;
  /** Returns the number of calls of matching tools that ran or are running. */
  count(pattern: string): number;
  /** Returns whether a completed call of a reading tool named this path. */
  hasRead(path: string): boolean;
}

/** The decision of a policy in code; `undefined` when the policy does not apply. */
export type ToolPolicyAnswer = Pick<Decision, 'answer' | 'reason' | 'values'>;

/** A policy in code. */
export interface ToolPolicy {
  readonly name: string;
  /** Decides a call. A throw, a rejection or an invalid answer denies the call. */
  check(
    call: PolicyInput,
    session: SessionHistory,
  ): ToolPolicyAnswer | undefined | Promise<ToolPolicyAnswer | undefined>;
  /** Called at the end of each call that the policy checked and that was not denied. */
  onResult?(call: PolicyInput, outcome: CallOutcome): void;
}

/** Combines the decision of rules with those of policies in code: `deny` beats `ask` beats `allow`, and any of them beats the default. */
export function combineDecisions(ruled: Decision, answers: readonly Decision[]): Decision {
  let found = ruled.rule.startsWith('default:') ? undefined : ruled;
  for (const each of answers) if (found === undefined || isStronger(each.answer, found.answer)) found = each;
  if (found === undefined) return ruled;
  const asking = [...(found === ruled ? [ruled] : []), ...answers].filter(({ answer }) => answer === 'ask');
  if (found === ruled && asking.length < 2) return ruled;
  const asks = found.answer === 'ask' && asking.length > 1 ? { asks: asking.flatMap(askingRules) } : {};
  const { policy, shadow } = ruled;
  return {
    ...found,
    ...asks,
    ...(policy === undefined ? {} : { policy }),
    ...(shadow === undefined ? {} : { shadow }),
  };
}

/** Evaluates one policy in code. Returns a promise only where the policy does. */
export function evaluateToolPolicy(
  policy: ToolPolicy,
  call: PolicyInput,
  session: SessionHistory,
): Decision | undefined | Promise<Decision | undefined> {
  const rule = `code:${policy.name}`;
  const denyFailure = (error: unknown): Decision => ({
    answer: 'deny',
    rule,
    reason: `the policy failed: ${messageOf(error)}`,
  });
  try {
    const answer = policy.check(call, session);
    if (answer instanceof Promise) return answer.then((resolved) => toDecision(resolved, rule), denyFailure);
    return toDecision(answer, rule);
  } catch (error) {
    return denyFailure(error);
  }
}

function toDecision(checked: ToolPolicyAnswer | undefined, rule: string): Decision | undefined {
  if (checked === undefined) return undefined;
  // A policy in plain JavaScript can return anything.
  const answer: unknown = (checked as Partial<ToolPolicyAnswer> | null)?.answer;
  if (answer !== 'allow' && answer !== 'ask' && answer !== 'deny')
    return { answer: 'deny', rule, reason: 'the policy gave no answer; it must be allow, ask or deny' };
  const { reason, values } = checked;
  return {
    answer,
    rule,
    reason: typeof reason === 'string' ? reason : '',
    ...(values === undefined ? {} : { values }),
  };
}
