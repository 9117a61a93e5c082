import { parseDurationMs } from '../../core/text/duration.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { ConditionCompiler } from '../conditions/condition.ts';
import type { Meter } from '../facts/meter.ts';
import { type Rule, type RuleKind, versionOf } from './rule.ts';
import { ObjectReader, type RuleFinding, type RulePath } from './object-reader.ts';

/** The result of reading a rule: the rule, or the problems. */
export interface RuleReading {
  readonly rule?: Rule;
  readonly findings: readonly RuleFinding[];
}

const answers = ['deny', 'ask', 'allow'] as const;
/** The keys that select the kind of a rule. A rule without one of them has the kind `match`. */
const kindKeys = ['requires', 'readBeforeWrite', 'rateLimit', 'flow', 'budget'] as const;
/** The default period for which calls of a principal count in its other sessions. */
const defaultPrincipalWindow = '24h';
const scopes = ['session', 'principal'] as const;
const commonKeys = ['id', 'reason', 'mode', 'servers', 'sessions', 'principals'];

/** Reads one rule and collects all of its problems. */
export function readRule(
  value: JsonObject,
  path: RulePath,
  compiler: ConditionCompiler,
  at: string | undefined,
): RuleReading {
  const findings: RuleFinding[] = [];
  const reader = new ObjectReader(value, path, findings);
  const id = reader.text('id') ?? (reader.has('id') ? undefined : reader.reportMissing('id')) ?? '';
  if (/^(?:default|mode|code):/.test(id))
    reader.report('id', 'ids that begin with "default:", "mode:" or "code:" are reserved');
  const [kindKey, second] = kindKeys.filter((key) => reader.has(key));
  const parts = kindKey === undefined ? readMatch(reader, compiler) : readRuleOfKind(reader, kindKey, second, compiler);
  let version: string | undefined;
  const rule = {
    id,
    reason: reader.text('reason'),
    at,
    shadow: reader.oneOf('mode', ['enforce', 'shadow']) === 'shadow',
    scope: {
      servers: reader.patterns('servers'),
      sessions: reader.patterns('sessions'),
      principals: reader.patterns('principals'),
    },
    source: value,
    get version() {
      return (version ??= versionOf(value));
    },
  };
  if (parts === undefined || findings.length > 0) return { findings };
  return { rule: Object.assign(rule, parts), findings };
}

type RuleParts = Pick<Rule, 'answer' | 'kind'> | undefined;

function readMatch(reader: ObjectReader, compiler: ConditionCompiler): RuleParts {
  const isKnown = reader.onlyKeys([...commonKeys, 'match', ...answers, ...kindKeys]);
  const [answer, second] = answers.filter((key) => reader.has(key));
  if (answer === undefined) {
    // A mistyped key explains the missing one.
    if (isKnown) reader.report(undefined, `has no answer: expected one of ${[...answers, ...kindKeys].join(', ')}`);
    return undefined;
  }
  if (second !== undefined) reader.report(second, `cannot be combined with "${answer}"`, 'make two rules');
  const match = reader.has('match') ? reader.patterns('match') : ['*'];
  const when = reader.equals(answer, true) ? true : reader.expression(answer, (text) => compiler.condition(text));
  if (match === undefined || when === undefined) return undefined;
  return { answer, kind: { type: 'match', match, when } };
}

function readRuleOfKind(
  reader: ObjectReader,
  kindKey: (typeof kindKeys)[number],
  second: string | undefined,
  compiler: ConditionCompiler,
): RuleParts {
  reader.onlyKeys([...commonKeys, ...kindKeys, 'ask', ...(kindKey === 'requires' ? ['fresh', 'by', 'within'] : [])]);
  if (second !== undefined) reader.report(second, `cannot be combined with "${kindKey}"`, 'make two rules');
  if (reader.has('ask') && !reader.equals('ask', true))
    reader.report('ask', `can only be true with "${kindKey}"`, 'without it the rule denies');
  const inner = reader.object(kindKey);
  if (inner === undefined) return undefined;
  const kind = readKind(reader, inner, kindKey, compiler);
  return kind === undefined ? undefined : { answer: reader.has('ask') ? 'ask' : 'deny', kind };
}

function readKind(
  reader: ObjectReader,
  inner: ObjectReader,
  kindKey: (typeof kindKeys)[number],
  compiler: ConditionCompiler,
): RuleKind | undefined {
  switch (kindKey) {
    case 'requires': {
      const targets = inner.keys().map((match) => ({ match, steps: inner.requiredPatterns(match) }));
      if (targets.length === 0) reader.report('requires', 'names no tool');
      const by = reader.oneOf('by', scopes);
      return { type: 'requires', targets, fresh: reader.boolean('fresh'), by, windowMs: principalWindowMs(reader) };
    }
    case 'readBeforeWrite': {
      inner.onlyKeys(['read', 'write', 'path']);
      const track = {
        read: inner.requiredPatterns('read'),
        write: inner.requiredPatterns('write'),
        path: inner.text('path') ?? 'path',
      };
      return { type: 'readBeforeWrite', track };
    }
    case 'rateLimit': {
      inner.onlyKeys(['match', 'per', 'max', 'by']);
      if (!inner.has('per')) inner.reportMissing('per');
      if (!inner.has('max')) inner.reportMissing('max');
      const calls = inner.integer('max');
      return { ...limitOf(inner, undefined), calls, cost: undefined };
    }
    case 'budget': {
      inner.onlyKeys(['match', 'per', 'by', 'calls', 'cost', 'each']);
      const calls = inner.integer('calls');
      const cost = inner.number('cost');
      if (!inner.has('calls') && !inner.has('cost'))
        inner.report(undefined, 'has no limit: expected "calls" or "cost"');
      if (inner.has('each') && !inner.has('cost')) inner.report('each', 'requires "cost"');
      const costExpression = inner.has('each') ? inner.expression('each', (text) => compiler.cost(text)) : undefined;
      return { ...limitOf(inner, costExpression), calls, cost };
    }
    case 'flow': {
      inner.onlyKeys(['from', 'to', 'when', 'within']);
      const [from, to] = [inner.requiredPatterns('from'), inner.requiredPatterns('to')];
      const when = inner.oneOf('when', ['session', 'value']);
      if (when !== undefined && inner.has('within'))
        inner.report('within', `has no effect with "when: ${when}"`, 'remove one of them');
      const labels = when === undefined ? 'principal' : when === 'session' ? 'session' : 'none';
      return { type: 'flow', from, to, labels, windowMs: principalWindowMs(inner) };
    }
  }
}

type Limit = Extract<RuleKind, { type: 'limit' }>;

function limitOf(inner: ObjectReader, costExpression: Limit['costExpression']): Omit<Limit, 'calls' | 'cost'> {
  const per = inner.duration('per');
  const by = inner.oneOf('by', scopes);
  if (by === 'principal' && !inner.has('per'))
    inner.report(undefined, '"per" is missing: calls of a principal are counted in a time window');
  const match = inner.has('match') ? (inner.patterns('match') ?? []) : ['*'];
  const meter: Meter = {
    match,
    windowMs: per === undefined ? undefined : parseDurationMs(per),
    costExpression,
  };
  const ofSession = { by: 'session', meter, span: per === undefined ? 'in this session' : `in ${per}` } as const;
  // Agents can start new sessions at will, so a limit also applies across all sessions of the principal.
  const windowMs = meter.windowMs ?? parseDurationMs(defaultPrincipalWindow);
  const ofPrincipal = {
    by: 'principal',
    meter: { ...meter, windowMs },
    span: `in ${per ?? defaultPrincipalWindow}`,
  } as const;
  const meters = [...(by === 'principal' ? [] : [ofSession]), ...(by === 'session' ? [] : [ofPrincipal])];
  return { type: 'limit', meters, costExpression };
}

function principalWindowMs(reader: ObjectReader): number {
  return parseDurationMs(reader.duration('within') ?? defaultPrincipalWindow) ?? 0;
}
