import type { StoredRule } from '../../journal/store/approval-store.ts';
import { type Principal, principalName } from '../../core/principal.ts';
import type { Approval, ApprovalQuestion, RememberScope, RememberedRule } from '../../core/calls/approval.ts';
import { type AskingRule, type Decision, askingRules } from '../../core/calls/decision.ts';
import { SignalboxError } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { newId } from '../../core/identifiers.ts';

/** The part of a question that remembered rules are compared with. */
export type Rememberable = Pick<
  ApprovalQuestion,
  'principal' | 'server' | 'tool' | 'definitionHash' | 'effect' | 'session' | 'argumentsHash' | 'decision'
>;

/** The effect that a rule would have had on earlier calls that needed approval. */
export interface RememberPreview {
  readonly rule: RememberedRule;
  /** The number of calls that would have run without a question, and of those that a human denied. */
  readonly count: number;
  readonly denied: number;
  /** The newest of these calls. */
  readonly examples: readonly Approval[];
}

/** Returns the rule that remembers an approval. An irreversible call is remembered only for exactly the same arguments. */
export function rememberedRule(approval: Approval, scope: RememberScope, by: Principal): RememberedRule {
  const { effect, tool, session, decision } = approval;
  if (decision.protectedFiles !== undefined) {
    throw new SignalboxError(
      'remember-refused',
      `the call of ${tool} names ${decision.protectedFiles.join(', ')}, which is protected: each such call needs its own approval; approve it without remembering`,
    );
  }
  if (effect === 'irreversible' && scope !== 'arguments') {
    throw new SignalboxError(
      'remember-refused',
      `${tool} cannot be undone: it can be remembered only for exactly these arguments; use "arguments" instead of "${scope}"`,
    );
  }
  if (scope === 'session' && session === undefined)
    throw new SignalboxError('remember-refused', `the call of ${tool} has no session to remember it for`);
  return {
    id: newId('rule'),
    scope,
    principal: approval.principal,
    server: approval.server,
    ...(scope === 'server' ? {} : { tool, definitionHash: approval.definitionHash }),
    ...(scope === 'session' ? omitUndefined({ session }) : {}),
    ...(scope === 'arguments' ? { arguments: approval.arguments, argumentsHash: approval.argumentsHash } : {}),
    answers: askingRules(decision).map(({ rule, version }) => omitUndefined({ rule, version })),
    by,
    at: new Date().toISOString(),
    approval: approval.id,
  };
}

/** Returns the rules that together answer every question about a call; `undefined` when a question remains. */
export function rememberedBy(
  rules: readonly RememberedRule[],
  call: Rememberable,
): readonly RememberedRule[] | undefined {
  if (call.decision.protectedFiles !== undefined) return undefined;
  const applicable = rules.filter((rule) => appliesTo(rule, call));
  const found = askingRules(call.decision).map((asking) => applicable.find((rule) => answers(rule, asking)));
  return found.every((rule) => rule !== undefined) ? [...new Set(found)] : undefined;
}

/** Returns whether a remembered rule answers a rule that asks. The same id with another text is a different rule. */
function answers(rule: RememberedRule, asking: AskingRule): boolean {
  return rule.answers.some((each) => each.rule === asking.rule && each.version === asking.version);
}

function appliesTo(rule: RememberedRule, call: Rememberable): boolean {
  return (
    rule.principal.id === call.principal.id &&
    rule.principal.kind === call.principal.kind &&
    rule.server === call.server &&
    (call.effect !== 'irreversible' || rule.scope === 'arguments') &&
    (rule.scope === 'server' || (rule.tool === call.tool && rule.definitionHash === call.definitionHash)) &&
    (rule.scope !== 'session' || (rule.session !== undefined && rule.session === call.session)) &&
    (rule.scope !== 'arguments' || rule.argumentsHash === call.argumentsHash)
  );
}

/** Returns the decision of remembered rules, which replaces one that asks. */
export function rememberedDecision(rules: readonly RememberedRule[], decision: Decision): Decision {
  const { asks: _, version: __, ...asked } = decision;
  const approved = rules.map(
    (rule) => `${principalName(rule.by)} approved it for ${rememberedFor(rule)} at ${rule.at}`,
  );
  const asking = askingRules(decision).map(({ rule }) => JSON.stringify(rule));
  return {
    ...asked,
    answer: 'allow',
    rule: `remembered:${rules[0]?.id}`,
    reason: [...approved, `${asking.join(' and ')} would ask`].join('; '),
    ruled: { answer: decision.answer, rule: decision.rule, reason: decision.reason },
  };
}

/** Describes the calls that a rule answers. */
function rememberedFor({ scope, tool, server, session }: RememberedRule): string {
  switch (scope) {
    case 'session':
      return `${tool} in session ${session}`;
    case 'arguments':
      return `${tool} with exactly these arguments`;
    case 'tool':
      return `every call of ${tool}`;
    case 'server':
      return `every call of server ${server} that can be undone or compensated`;
  }
}

/** Parses a stored rule. */
export function toRule({ text }: StoredRule): RememberedRule {
  return JSON.parse(text) as RememberedRule;
}

/** Returns the stored form of a rule. */
export function toStoredRule(rule: RememberedRule): StoredRule {
  return { id: rule.id, principal: rule.principal.id, server: rule.server, text: JSON.stringify(rule) };
}
