import type { Approval, AskedCall, RememberScope, RememberedRule } from '../../model/approval.ts';
import type { Principal } from '../../model/call.ts';
import type { Decision } from '../../model/decision.ts';
import { SignalboxError } from '../../model/errors.ts';
import { newId } from '../../model/identifiers.ts';

/** What a rule is held against. */
export type Rememberable = Pick<
  AskedCall,
  'principal' | 'server' | 'tool' | 'definitionHash' | 'effect' | 'session' | 'argumentsHash' | 'decision'
>;

/** What remembering would have meant for the calls that were asked about until now. */
export interface RememberPreview {
  readonly rule: RememberedRule;
  /** How many would have run without a question, and how many of these a human refused. */
  readonly count: number;
  readonly denied: number;
  /** The newest of them. */
  readonly examples: readonly Approval[];
}

/** The rule that remembers an approval. What cannot be undone is remembered only for exactly the same arguments. */
export function rememberedRule(approval: Approval, scope: RememberScope, by: Principal): RememberedRule {
  const { effect, tool, session } = approval;
  if (effect === 'irreversible' && scope !== 'arguments') {
    throw new SignalboxError(
      'remember-refused',
      `${tool} cannot be undone: it can be remembered only for exactly these arguments; use "arguments" in the place of "${scope}"`,
    );
  }
  if (scope === 'session' && session === undefined)
    throw new SignalboxError('remember-refused', `the call of ${tool} belongs to no session to remember it for`);
  return {
    id: newId('rule'),
    scope,
    principal: approval.principal,
    server: approval.server,
    ...(scope === 'server' ? {} : { tool, definitionHash: approval.definitionHash }),
    ...(scope === 'session' && session !== undefined ? { session } : {}),
    ...(scope === 'arguments' ? { arguments: approval.arguments, argumentsHash: approval.argumentsHash } : {}),
    answers: approval.decision.rule,
    by,
    at: new Date().toISOString(),
    approval: approval.id,
  };
}

/** Whether a rule lets a call through that asks. */
export function remembers(rule: RememberedRule, call: Rememberable): boolean {
  return (
    rule.principal.id === call.principal.id &&
    rule.principal.kind === call.principal.kind &&
    rule.answers === call.decision.rule &&
    rule.server === call.server &&
    (call.effect !== 'irreversible' || rule.scope === 'arguments') &&
    (rule.scope === 'server' || (rule.tool === call.tool && rule.definitionHash === call.definitionHash)) &&
    (rule.scope !== 'session' || (rule.session !== undefined && rule.session === call.session)) &&
    (rule.scope !== 'arguments' || rule.argumentsHash === call.argumentsHash)
  );
}

/** The decision in the place of the question that a rule answers. */
export function rememberedDecision(rule: RememberedRule, asked: Decision): Decision {
  return {
    ...asked,
    answer: 'allow',
    rule: `remembered:${rule.id}`,
    reason: `${rule.by.id} approved it for ${rememberedFor(rule)} at ${rule.at}; "${asked.rule}" would ask`,
  };
}

/** What a rule holds for, in words. */
function rememberedFor({ scope, tool, server, session }: RememberedRule): string {
  switch (scope) {
    case 'session':
      return `${tool} in session ${session}`;
    case 'arguments':
      return `${tool} with exactly these arguments`;
    case 'tool':
      return `every call of ${tool}`;
    case 'server':
      return `every call of server ${server} that can be undone or made good`;
  }
}
