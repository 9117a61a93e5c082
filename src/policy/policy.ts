import type { AskingRule, Decision } from '../core/calls/decision.ts';
import { type ArgumentFacts, pathFingerprint } from '../core/calls/argument-facts.ts';
import type { JsonObject } from '../core/json/json.ts';
import { matchesAnyName } from '../core/text/name-pattern.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import { namesOf } from '../core/tools/tool-names.ts';
import { decideByDefault } from './default-policy.ts';
import { appliesToTool } from './rules/rule-checks.ts';
import { Facts } from './facts/facts.ts';
import { pathArguments, pathsIn } from './facts/argument-paths.ts';
import { matchesAny } from './rules/patterns.ts';
import { PreparedRule, type RuleResult } from './rules/prepared-rule.ts';
import type { RuleSet } from './rules/read-policies.ts';
import { type Rule, type RuleKind, isStronger } from './rules/rule.ts';
import { type ConditionCall, ToolView } from './conditions/condition-input.ts';
import { EvaluationContext } from './rules/evaluation-context.ts';
import { WorkExceeded } from './conditions/work-budget.ts';

/** A call to be decided. */
export interface PolicyInput extends ConditionCall {
  readonly tool: ToolDefinition;
}

/** The facts that a decision uses. */
export interface DecisionFacts {
  readonly session: Facts;
  readonly principal: Facts;
}

const maxPaths = 1000;

interface ToolRules {
  readonly view: ToolView;
  readonly enforced: readonly PreparedRule[];
  readonly shadowed: readonly PreparedRule[];
  readonly defaultDecision: Decision;
  readonly dependsOnHistory: boolean;
  /** Whether a limit counts calls of the tool, even if it limits only calls of other tools. */
  readonly isCountedByLimit: boolean;
  /** Whether rules for the tool read facts of the principal, or calls of the tool change those facts. */
  readonly needsPrincipalFacts: boolean;
}

/** Decides calls by rules: `deny` beats `ask` beats `allow`. A call that no rule matches is decided by the effect of its tool. */
export class Policy {
  readonly version: string;
  readonly rules: readonly Rule[];
  readonly #set: RuleSet;
  readonly #byTool = new WeakMap<ToolDefinition, ToolRules>();

  constructor(set: RuleSet) {
    this.#set = set;
    this.rules = set.rules;
    this.version = set.version;
  }

  /** Returns empty facts of a session that track what these rules read. */
  sessionFacts(): Facts {
    return new Facts(this.#set.sessionRequirements);
  }

  /** Returns empty facts of a principal that track what these rules read. */
  principalFacts(): Facts {
    return new Facts(this.#set.principalRequirements);
  }

  /** The period for which facts of a principal are needed, in milliseconds; 0 when no rule reads them. */
  get principalWindowMs(): number {
    return this.#set.principalWindowMs;
  }

  /** Whether rules search arguments for values that tools returned earlier, which requires the whole output of a tool. */
  get tracksValues(): boolean {
    return this.#set.principalRequirements.trackedLabels.length > 0;
  }

  /** Returns those of the given labels whose tools' output rules search for in later arguments; by default, all such labels. */
  trackedLabels(labels: readonly string[] = this.#set.principalRequirements.trackedLabels): readonly string[] {
    return labels.filter((label) => this.#set.principalRequirements.trackedLabels.includes(label));
  }

  /** Returns whether a rule reads facts of the principal for calls of a tool, or counts those calls among them. */
  needsPrincipalFacts(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).needsPrincipalFacts;
  }

  /** Returns whether decisions about a tool depend on earlier calls. */
  dependsOnHistory(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).dependsOnHistory;
  }

  /** Returns whether a limit counts calls of a tool. The limits of such calls are checked again once their intents have a position in the journal. */
  isCountedByLimit(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).isCountedByLimit;
  }

  /** Returns a denial when other calls have used up a limit since this call was decided. `isAsked`: a human or a permission mode has already answered for the rules that ask. */
  denyOverLimit(call: PolicyInput, past: DecisionFacts, isAsked: boolean): Decision | undefined {
    const { enforced, view } = this.#rulesFor(call.tool);
    const context = new EvaluationContext(call, past.session, past.principal, view);
    for (const rule of enforced) {
      const result = rule.isLimit ? rule.evaluate(context) : undefined;
      if (result === undefined || (result.answer === 'ask' && isAsked)) continue;
      const { rule: id, at } = result.asking;
      const reason = `${result.reason}; calls that began just before this one used it up`;
      return { answer: 'deny', rule: id, reason, ...(at === undefined ? {} : { at }), policy: this.version };
    }
    return undefined;
  }

  /** Returns the facts of a call's arguments that rules of this policy may need later. */
  argumentFactsOf(tool: ToolDefinition, args: JsonObject): ArgumentFacts {
    const { all } = namesOf(tool);
    const { sessionRequirements, principalRequirements } = this.#set;
    const costs: [string, number][] = [];
    for (const { match, costExpression } of [...sessionRequirements.meters, ...principalRequirements.meters]) {
      if (costExpression === undefined || !matchesAny(all, match)) continue;
      try {
        costs.push([costExpression.text, costExpression.evaluate(args)]);
      } catch {
        // The rule has another scope, so the call has no cost for it.
      }
    }
    const names = new Set([...pathArguments, ...sessionRequirements.tracks.map(({ path }) => path)]);
    const paths = [...names].flatMap((name) => {
      const values = Object.hasOwn(args, name) ? pathsIn(args[name]) : undefined;
      return values === undefined ? [] : [[name, values.slice(0, maxPaths).map(pathFingerprint)] as const];
    });
    return { costs: Object.fromEntries(costs), paths: Object.fromEntries(paths) };
  }

  /** Decides a call. Never throws: a rule that cannot be evaluated denies. */
  decide(call: PolicyInput, past: DecisionFacts): Decision {
    const rules = this.#rulesFor(call.tool);
    if (rules.enforced.length === 0 && rules.shadowed.length === 0) return rules.defaultDecision;
    const context = new EvaluationContext(call, past.session, past.principal, rules.view);
    let strongest: RuleResult | undefined;
    const asking: AskingRule[] = [];
    for (const rule of rules.enforced) {
      // Nothing overrides a deny. After an allow, another allow rule may still deny, because a rule that cannot be evaluated denies.
      if (strongest?.answer === 'deny') break;
      const result = rule.evaluate(context);
      if (result === undefined) continue;
      if (result.answer === 'ask') asking.push(result.asking);
      if (
        strongest === undefined ||
        (result.answer !== strongest.answer && isStronger(result.answer, strongest.answer))
      )
        strongest = result;
    }
    const shadow = rules.shadowed.flatMap((rule) => {
      const result = rule.evaluate(context);
      return result === undefined ? [] : { answer: result.answer, rule: result.rule.id, reason: result.reason };
    });
    const shadowed = shadow.length === 0 ? {} : { shadow };
    if (strongest === undefined)
      return shadow.length === 0 ? rules.defaultDecision : { ...rules.defaultDecision, ...shadowed };
    const asks = strongest.answer === 'ask' && asking.length > 1 ? { asks: asking } : {};
    return { ...toDecision(strongest, context), ...asks, policy: this.version, ...shadowed };
  }

  #rulesFor(tool: ToolDefinition): ToolRules {
    let known = this.#byTool.get(tool);
    if (known === undefined) {
      const rules = this.rules.filter((rule) => appliesToTool(rule, tool));
      const prepared = (shadow: boolean): readonly PreparedRule[] =>
        rules.flatMap((rule) => (rule.shadow === shadow ? new PreparedRule(rule, tool) : []));
      known = {
        view: new ToolView(tool),
        enforced: prepared(false),
        shadowed: prepared(true),
        defaultDecision: { ...decideByDefault(tool), policy: this.version },
        dependsOnHistory: rules.some(({ kind }) => readsHistory(kind)),
        isCountedByLimit: this.rules.some((rule) => countsCalls(rule, tool)),
        needsPrincipalFacts: this.rules.some(
          ({ kind }) =>
            readsPrincipalFacts(kind) &&
            (rules.some((rule) => rule.kind === kind) || changesPrincipalFacts(kind, tool)),
        ),
      };
      this.#byTool.set(tool, known);
    }
    return known;
  }
}

/** Returns whether a rule reads facts of the principal. */
function readsPrincipalFacts(kind: RuleKind): boolean {
  switch (kind.type) {
    case 'match':
    case 'readBeforeWrite':
      return false;
    case 'requires':
      return kind.by !== 'session';
    case 'limit':
      return kind.meters.some(({ by }) => by === 'principal');
    case 'flow':
      return true;
  }
}

/** Returns whether calls of a tool change the facts of the principal that a rule reads. */
function changesPrincipalFacts(kind: RuleKind, tool: ToolDefinition): boolean {
  const { all } = namesOf(tool);
  switch (kind.type) {
    case 'match':
    case 'readBeforeWrite':
      return false;
    case 'requires':
      return kind.targets.some(({ steps }) => steps.some((step) => matchesAnyName(all, step)));
    case 'limit':
      return kind.meters.some(({ meter }) => matchesAny(all, meter.match));
    case 'flow':
      return tool.labels.some((label) => kind.from.includes(label));
  }
}

/** Returns whether a rule counts calls of a tool, also where it limits only calls of other tools. */
function countsCalls({ kind, shadow }: Rule, tool: ToolDefinition): boolean {
  if (kind.type !== 'limit' || shadow) return false;
  return kind.meters.some(({ meter }) => matchesAny(namesOf(tool).all, meter.match));
}

/** Returns whether a rule may read history: every kind except a `match` whose condition does not contain `session`, even in a string. */
function readsHistory(kind: RuleKind): boolean {
  switch (kind.type) {
    case 'match':
      return kind.when !== true && kind.when.text.includes('session');
    case 'requires':
    case 'readBeforeWrite':
    case 'limit':
    case 'flow':
      return true;
  }
}

/** Values only explain a decision, so they are left out when the budget is used up. */
function explainValues(explain: RuleResult['values'], context: EvaluationContext): JsonObject | undefined {
  try {
    return explain?.(context);
  } catch (error) {
    if (error instanceof WorkExceeded) return undefined;
    throw error;
  }
}

function toDecision({ rule, answer, reason, values: explain }: RuleResult, context: EvaluationContext): Decision {
  const values = explainValues(explain, context);
  return {
    answer,
    rule: rule.id,
    reason,
    ...(rule.at === undefined ? {} : { at: rule.at }),
    ...(answer === 'ask' ? { version: rule.version } : {}),
    ...(values === undefined || Object.keys(values).length === 0 ? {} : { values }),
  };
}
