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
  readonly byDefault: Decision;
  readonly dependsOnHistory: boolean;
  /** Whether a limit counts calls of the tool. */
  readonly counted: boolean;
  /** Whether rules for the tool read facts of the principal, or calls of the tool change those facts. */
  readonly principal: boolean;
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
    return new Facts(this.#set.sessionNeeds);
  }

  /** Returns empty facts of a principal that track what these rules read. */
  principalFacts(): Facts {
    return new Facts(this.#set.principalNeeds);
  }

  /** The period for which facts of a principal are needed, in milliseconds; 0 when no rule reads them. */
  get principalWindowMs(): number {
    return this.#set.principalWindowMs;
  }

  /** Whether values that tools returned are found again in arguments, which needs the whole output of a tool. */
  get tracksValues(): boolean {
    return this.#set.principalNeeds.valuesOf.length > 0;
  }

  /** Returns the labels of a tool whose output is recognised again in arguments; without a tool, all such labels. */
  trackedLabels(labels: readonly string[] = this.#set.principalNeeds.valuesOf): readonly string[] {
    return labels.filter((label) => this.#set.principalNeeds.valuesOf.includes(label));
  }

  /** Returns whether a rule reads facts of the principal for calls of a tool, or counts those calls among them. */
  needsPrincipal(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).principal;
  }

  /** Returns whether decisions about a tool depend on earlier calls. */
  dependsOnHistory(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).dependsOnHistory;
  }

  /** Returns whether a limit counts calls of a tool. Such calls are counted again once their intents have a position in the journal. */
  isCounted(tool: ToolDefinition): boolean {
    return this.#rulesFor(tool).counted;
  }

  /** Returns the denial of a call by a limit that others have reached since it was decided. `isAsked`: a human or a mode answered in the place of rules that ask. */
  denyOverLimit(call: PolicyInput, past: DecisionFacts, isAsked: boolean): Decision | undefined {
    const { enforced, view } = this.#rulesFor(call.tool);
    const context = new EvaluationContext(call, past.session, past.principal, view);
    for (const rule of enforced) {
      const result = rule.isLimit ? rule.evaluate(context) : undefined;
      if (result === undefined || (result.answer === 'ask' && isAsked)) continue;
      const { rule: id, at } = result.asking;
      const reason = `${result.reason}; calls that began just before this one reached it`;
      return { answer: 'deny', rule: id, reason, ...(at === undefined ? {} : { at }), policy: this.version };
    }
    return undefined;
  }

  /** Returns the facts of a call's arguments that rules of this policy may need later. */
  countedArguments(tool: ToolDefinition, args: JsonObject): ArgumentFacts {
    const { all } = namesOf(tool);
    const { sessionNeeds, principalNeeds } = this.#set;
    const costs: [string, number][] = [];
    for (const { match, each } of [...sessionNeeds.meters, ...principalNeeds.meters]) {
      if (each === undefined || !matchesAny(all, match)) continue;
      try {
        costs.push([each.text, each.of(args)]);
      } catch {
        // The rule has another scope, so the call has no cost for it.
      }
    }
    const names = new Set([...pathArguments, ...sessionNeeds.tracks.map(({ path }) => path)]);
    const paths = [...names].flatMap((name) => {
      const values = Object.hasOwn(args, name) ? pathsIn(args[name]) : undefined;
      return values === undefined ? [] : [[name, values.slice(0, maxPaths).map(pathFingerprint)] as const];
    });
    return { costs: Object.fromEntries(costs), paths: Object.fromEntries(paths) };
  }

  /** Decides a call. Never throws: a rule that cannot be evaluated denies. */
  decide(call: PolicyInput, past: DecisionFacts): Decision {
    const rules = this.#rulesFor(call.tool);
    if (rules.enforced.length === 0 && rules.shadowed.length === 0) return rules.byDefault;
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
    if (strongest === undefined) return shadow.length === 0 ? rules.byDefault : { ...rules.byDefault, ...shadowed };
    const asks = strongest.answer === 'ask' && asking.length > 1 ? { asks: asking } : {};
    return { ...decisionOf(strongest, context), ...asks, policy: this.version, ...shadowed };
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
        byDefault: { ...decideByDefault(tool), policy: this.version },
        dependsOnHistory: rules.some(({ kind }) => readsHistory(kind)),
        counted: this.rules.some((rule) => countsCalls(rule, tool)),
        principal: this.rules.some(
          ({ kind }) => isOfPrincipal(kind) && (rules.some((rule) => rule.kind === kind) || isFactOf(kind, tool)),
        ),
      };
      this.#byTool.set(tool, known);
    }
    return known;
  }
}

function isOfPrincipal(kind: RuleKind): boolean {
  if (kind.kind === 'limit') return kind.meters.some(({ by }) => by === 'principal');
  return kind.kind === 'flow' || (kind.kind === 'requires' && kind.by !== 'session');
}

function isFactOf(kind: RuleKind, tool: ToolDefinition): boolean {
  const { all } = namesOf(tool);
  if (kind.kind === 'limit') return kind.meters.some(({ meter }) => matchesAny(all, meter.match));
  if (kind.kind === 'flow') return tool.labels.some((label) => kind.from.includes(label));
  return kind.kind === 'requires' && kind.targets.some(({ steps }) => steps.some((step) => matchesAnyName(all, step)));
}

/** Returns whether a rule counts calls of a tool, also where it limits only calls of other tools. */
function countsCalls({ kind, shadow }: Rule, tool: ToolDefinition): boolean {
  if (kind.kind !== 'limit' || shadow) return false;
  return kind.meters.some(({ meter }) => matchesAny(namesOf(tool).all, meter.match));
}

/** Returns whether a rule may read history: every kind except a `match` whose condition does not contain `session`, even in a string. */
function readsHistory(kind: RuleKind): boolean {
  return kind.kind !== 'match' || (kind.when !== true && kind.when.text.includes('session'));
}

/** Values only explain a decision, so they are left out when the budget is used up. */
function valuesOf(explain: RuleResult['values'], context: EvaluationContext): JsonObject | undefined {
  try {
    return explain?.(context);
  } catch (error) {
    if (error instanceof WorkExceeded) return undefined;
    throw error;
  }
}

function decisionOf({ rule, answer, reason, values: explain }: RuleResult, context: EvaluationContext): Decision {
  const values = valuesOf(explain, context);
  return {
    answer,
    rule: rule.id,
    reason,
    ...(rule.at === undefined ? {} : { at: rule.at }),
    ...(answer === 'ask' ? { version: rule.version } : {}),
    ...(values === undefined || Object.keys(values).length === 0 ? {} : { values }),
  };
}
