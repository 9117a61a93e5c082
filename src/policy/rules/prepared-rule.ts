import type { AskingRule, Decision } from '../../core/calls/decision.ts';
import { messageOf } from '../../core/errors.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { type RuleCheck, type RuleMatch, createRuleCheck } from './rule-checks.ts';
import { createMatcher } from './patterns.ts';
import type { Rule } from './rule.ts';
import type { EvaluationContext } from './evaluation-context.ts';

const maxMessageLength = 300;

/** The result of a rule that applies to a call. */
export interface RuleResult {
  readonly rule: Rule;
  readonly answer: Decision['answer'];
  readonly reason: string;
  readonly values: RuleMatch['values'];
  /** The reference to the rule in the list of rules that ask. */
  readonly asking: AskingRule;
}

/** A rule prepared for one tool: everything that does not depend on the call is computed in advance. */
export class PreparedRule {
  readonly #rule: Rule;
  readonly #check: RuleCheck;
  readonly #isInSession: ((id: string) => boolean) | undefined;
  readonly #isByPrincipal: ((id: string) => boolean) | undefined;
  #match: RuleMatch | undefined;
  #result: RuleResult | undefined;

  constructor(rule: Rule, tool: ToolDefinition) {
    this.#rule = rule;
    this.#check = createRuleCheck(rule, tool);
    const { sessions, principals } = rule.scope;
    this.#isInSession = sessions && createMatcher(sessions);
    this.#isByPrincipal = principals && createMatcher(principals);
  }

  /** Whether the rule limits the number or the cost of calls. */
  get isLimit(): boolean {
    return this.#rule.kind.type === 'limit';
  }

  /** Evaluates the rule for a call. Never throws: a rule that cannot be evaluated denies. */
  evaluate(context: EvaluationContext): RuleResult | undefined {
    const { call } = context;
    if (this.#isInSession?.(call.session ?? '') === false) return undefined;
    if (this.#isByPrincipal !== undefined && !namesOfPrincipal(call.principal.id).some(this.#isByPrincipal))
      return undefined;
    try {
      const match = this.#check(context);
      if (match === undefined) return undefined;
      if (this.#result === undefined || this.#match !== match) {
        this.#match = match;
        const { answer, reason = match.reason } = this.#rule;
        this.#result = createResult(this.#rule, answer, reason, match.values);
      }
      return this.#result;
    } catch (error) {
      // The library appends an excerpt of the condition to its messages, which may also contain a whole argument.
      const [what = ''] = messageOf(error).slice(0, maxMessageLength).split('\n', 1);
      return createResult(this.#rule, 'deny', `the rule cannot be evaluated: ${what}`, undefined);
    }
  }
}

/** `stdio` in a rule means every client of `signalbox stdio`, whose ids are `stdio:NAME in DIRECTORY`. */
function namesOfPrincipal(principal: string): readonly string[] {
  return principal.startsWith('stdio:') ? [principal, 'stdio'] : [principal];
}

function createResult(
  rule: Rule,
  answer: RuleResult['answer'],
  reason: string,
  values: RuleResult['values'],
): RuleResult {
  const { id, at, version } = rule;
  const asking = { rule: id, reason, ...(at === undefined ? {} : { at }), version };
  return { rule, answer, reason, values, asking };
}
