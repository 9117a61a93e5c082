import type { JsonObject } from '../../core/json/json.ts';
import { matchesAnyName } from '../../core/text/name-pattern.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { fullName, namesOf } from '../../core/tools/tool-names.ts';
import type { Condition } from '../conditions/condition.ts';
import { costOfDecidedCall } from '../facts/meter.ts';
import { pathsIn } from '../facts/argument-paths.ts';
import { matchesAny } from './patterns.ts';
import type { Rule, RuleKind, ScopedMeter } from './rule.ts';
import type { EvaluationContext } from './evaluation-context.ts';
import { ToolView } from '../conditions/condition-input.ts';

/** The reason why a rule applies to a call, used when the rule has no reason of its own, and the values that explain it. */
export interface RuleMatch {
  readonly reason: string;
  /** Evaluated only for the rule that decides. */
  readonly values?: (context: EvaluationContext) => JsonObject;
}

/** Returns the reason why a rule applies to a call; `undefined` when it does not apply. Throws when it cannot be evaluated. */
export type RuleCheck = (context: EvaluationContext) => RuleMatch | undefined;

/** Returns whether a rule can apply to calls of a tool. */
export function appliesToTool({ kind, scope, answer }: Rule, tool: ToolDefinition): boolean {
  if (scope.servers !== undefined && !matchesAny([tool.id.server], scope.servers)) return false;
  const { full, bare, all } = namesOf(tool);
  switch (kind.type) {
    case 'match':
      if (answer !== 'allow') return matchesAny(all, kind.match);
      // Any server can give a tool any name, so a bare name allows a tool only when the rule names its server.
      return matchesAny(scope.servers === undefined ? full : [...full, ...bare], kind.match);
    case 'requires':
      return kind.targets.some(({ match }) => matchesAnyName(all, match));
    case 'readBeforeWrite':
      return matchesAny(all, kind.track.write);
    case 'limit':
      return kind.meters.some(({ meter }) => matchesAny(all, meter.match));
    case 'flow':
      return tool.labels.some((label) => kind.to.includes(label));
  }
}

/** Creates the check of a rule for calls of a tool. */
export function createRuleCheck({ kind, answer }: Rule, tool: ToolDefinition): RuleCheck {
  switch (kind.type) {
    case 'match':
      return matchCheck(kind, answer, tool);
    case 'requires':
      return requiresCheck(kind, tool);
    case 'readBeforeWrite':
      return readCheck(kind);
    case 'limit':
      return firstMatch(kind.meters.map((meter) => meterCheck(kind, meter)));
    case 'flow':
      return flowCheck(kind, tool);
  }
}

type Kind<Name extends RuleKind['type']> = Extract<RuleKind, { type: Name }>;

function matchCheck({ when }: Kind<'match'>, answer: Rule['answer'], tool: ToolDefinition): RuleCheck {
  if (when === true) {
    const always: RuleMatch = { reason: 'the rule names this tool' };
    return () => always;
  }
  const match: RuleMatch = { reason: when.text, values: ({ input }) => when.explain(input) };
  const holds = holdsByEveryName(when, answer, tool);
  return (context) => (holds(context) ? match : undefined);
}

/**
 * Evaluates a condition on `tool.name` for each full name of a tool. A rule that restricts applies when one name matches; a rule that
 * allows applies only when all current names match.
 */
function holdsByEveryName(
  { holds, readsToolName }: Condition,
  answer: Rule['answer'],
  tool: ToolDefinition,
): (context: EvaluationContext) => boolean {
  const { all } = namesOf(tool);
  const names = answer === 'allow' ? [tool.name, fullName(tool.id)] : all.filter((name) => name.startsWith('mcp__'));
  const others = readsToolName ? names.filter((name) => name !== tool.name) : [];
  if (others.length === 0) return ({ input }) => holds(input);
  const views = others.map((name) => new ToolView({ ...tool, name }));
  if (answer === 'allow')
    return (context) => holds(context.input) && views.every((view) => holds(context.inputFor(view)));
  return (context) => holds(context.input) || views.some((view) => holds(context.inputFor(view)));
}

/** Requires that the last completed call of each step is later than that of the step before it. */
function requiresCheck(kind: Kind<'requires'>, tool: ToolDefinition): RuleCheck {
  const targets = kind.targets.filter(({ match }) => matchesAnyName(namesOf(tool).all, match));
  return firstMatch(targets.map(({ match, steps }) => stepsCheck(match, steps, kind, tool)));
}

function firstMatch(checks: readonly RuleCheck[]): RuleCheck {
  return (context) => {
    for (const check of checks) {
      const match = check(context);
      if (match !== undefined) return match;
    }
    return undefined;
  };
}

function stepsCheck(target: string, steps: readonly string[], kind: Kind<'requires'>, tool: ToolDefinition): RuleCheck {
  const { done, latest } = stepTimes(kind);
  const createMissing = (step: string, previous: string | undefined): RuleMatch => ({
    reason: `${step} must have completed${previous === undefined ? '' : ` after ${previous}`} before ${tool.name}`,
    values: (context) => ({
      [`lastOk(${step}).seq`]: done(context, step),
      ...(previous === undefined ? {} : { [`lastOk(${previous}).seq`]: latest(context, previous) }),
    }),
  });
  const all = steps.map((step, index) => ({ step, match: createMissing(step, steps[index - 1]) }));
  const [first] = steps;
  const again = first === undefined ? undefined : createMissing(first, target);
  return (context) => {
    // Also matches the tool's own name, because a restriction applies by names that do not count for past calls.
    let before = kind.fresh ? Math.max(latest(context, target), latest(context, tool.name)) : 0;
    let isAgain = before > 0;
    for (const { step, match } of all) {
      if (done(context, step) <= before) return isAgain ? again : match;
      before = latest(context, step);
      isAgain = false;
    }
    return undefined;
  };
}

type StepTime = (context: EvaluationContext, step: string) => number;

/**
 * Returns the facts that count a step as completed, and the facts that show when it was last completed. They differ by default: a step
 * must be completed in the session, but repeating an earlier step in another session also counts.
 */
function stepTimes({ by, windowMs }: Kind<'requires'>): { readonly done: StepTime; readonly latest: StepTime } {
  const inSession: StepTime = ({ session }, step) => session.lastOk(step).seq;
  if (by === 'session') return { done: inSession, latest: inSession };
  const byPrincipal: StepTime = ({ principal, call }, step) => {
    const { seq, at } = principal.lastOk(step);
    return at > call.at - windowMs ? seq : 0;
  };
  if (by === 'principal') return { done: byPrincipal, latest: byPrincipal };
  const latest: StepTime = (context, step) => Math.max(inSession(context, step), byPrincipal(context, step));
  return { done: inSession, latest };
}

function readCheck({ track }: Kind<'readBeforeWrite'>): RuleCheck {
  return ({ session, call: { arguments: args } }) => {
    const paths = pathsIn(Object.hasOwn(args, track.path) ? args[track.path] : undefined);
    if (paths === undefined) throw new Error(`the argument "${track.path}" does not name a file`);
    const unknown = paths.find((path) => !session.hasAccessed(track, path));
    if (unknown === undefined) return undefined;
    return { reason: `${unknown} was not read in this session`, values: () => ({ [`args.${track.path}`]: unknown }) };
  };
}

function meterCheck({ calls, cost, costExpression }: Kind<'limit'>, { by, meter, span }: ScopedMeter): RuleCheck {
  const read = (context: EvaluationContext): { readonly calls: number; readonly cost: number } =>
    context[by].reading(meter, context.call.at);
  const ownCost =
    costExpression === undefined
      ? () => 0
      : ({ call, work }: EvaluationContext) => costOfDecidedCall(call, costExpression, work);
  const overCalls: RuleMatch = {
    reason: `limit of ${calls} calls ${span} reached`,
    values: (context) => ({ calls: read(context).calls }),
  };
  const overCost: RuleMatch = {
    reason: `cost limit of ${cost} ${span} reached`,
    values: (context) => ({ cost: read(context).cost, call: ownCost(context) }),
  };
  return (context) => {
    const reading = read(context);
    if (calls !== undefined && reading.calls >= calls) return overCalls;
    if (cost === undefined) return undefined;
    const isOver = costExpression === undefined ? reading.cost >= cost : reading.cost + ownCost(context) > cost;
    return isOver ? overCost : undefined;
  };
}

function flowCheck({ from, labels: scope, windowMs }: Kind<'flow'>, tool: ToolDefinition): RuleCheck {
  const found: RuleMatch = {
    reason: `the arguments contain a value that was read as ${from.join(', ')} data`,
    values: () => ({ 'tool.labels': [...tool.labels] }),
  };
  const createLabelMatch = (who: string, labels: readonly string[], { session }: EvaluationContext): RuleMatch => ({
    reason: `${who} has seen ${labels.join(', ')} data, and ${tool.name} sends it out`,
    values: () => ({ 'session.labels': [...session.labels], 'tool.labels': [...tool.labels] }),
  });
  return (context) => {
    const { session, principal, call } = context;
    const ofSession = scope === 'none' ? [] : from.filter((label) => session.labels.has(label));
    if (ofSession.length > 0) return createLabelMatch('the session', ofSession, context);
    const since = call.at - windowMs;
    const ofPrincipal = scope === 'principal' ? from.filter((label) => principal.hasRunSince(label, since)) : [];
    if (ofPrincipal.length > 0) return createLabelMatch(call.principal.id, ofPrincipal, context);
    return from.some((label) => context.containsValueOf(label)) ? found : undefined;
  };
}
