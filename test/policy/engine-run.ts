import type { JsonObject, JsonValue } from '../../src/core/json/json.ts';
import type { ToolDefinition } from '../../src/core/tools/tool.ts';
import type { Facts } from '../../src/policy/facts/facts.ts';
import { Policy } from '../../src/policy/policy.ts';
import { readPolicies } from '../../src/policy/rules/read-policies.ts';
import type { Step } from './random-traces.ts';
import {
  type ReferenceDecision,
  type ReferenceRule,
  type Tool,
  type TracedCall,
  decideByReference,
} from './reference.ts';

/** Returns a rule of the reference in the policy format. */
function toPolicyRule({ id, shadow, answer, kind, ...scope }: ReferenceRule): JsonObject {
  const base = { id, ...(shadow ? { mode: 'shadow' } : {}), ...scope };
  const ask: { ask?: true } = answer === 'ask' ? { ask: true } : {};
  switch (kind.kind) {
    case 'match':
      return { ...base, match: kind.match, [answer]: kind.when === true ? true : kind.when.text };
    case 'requires':
      return {
        ...base,
        ...ask,
        requires: { [kind.target]: kind.steps },
        fresh: kind.fresh,
        ...byOf(kind),
        within: `${kind.withinMs}ms`,
      };
    case 'readBeforeWrite':
      return { ...base, ...ask, readBeforeWrite: { read: kind.read, write: kind.write, path: 'path' } };
    case 'limit': {
      const per = kind.windowMs === undefined ? {} : { per: `${kind.windowMs}ms` };
      const limits: { [key: string]: JsonValue } =
        kind.cost === undefined
          ? { calls: kind.calls ?? 0 }
          : { cost: kind.cost, ...(kind.costIs === 'reported' ? {} : { each: 'args.amount' }) };
      if (kind.calls !== undefined && kind.windowMs !== undefined)
        return { ...base, ...ask, rateLimit: { match: kind.match, ...byOf(kind), ...per, max: kind.calls } };
      return { ...base, ...ask, budget: { match: kind.match, ...byOf(kind), ...per, ...limits } };
    }
    case 'flow': {
      const when = kind.when === undefined ? {} : { when: kind.when };
      const within = kind.withinMs === undefined || kind.when !== undefined ? {} : { within: `${kind.withinMs}ms` };
      return { ...base, ...ask, flow: { from: [kind.from], to: [kind.to], ...when, ...within } };
    }
  }
}

function byOf({ by }: { readonly by?: string }): { by?: string } {
  return by === undefined ? {} : { by };
}

const definitions = new Map<string, ToolDefinition>();

/** Returns the definition of a tool; always the same object for the same tool. */
export function definitionOf({ name, server, effect, labels }: Tool): ToolDefinition {
  const id = { server, tool: name.slice(`mcp__${server}__`.length) };
  const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: name };
  return getOrCreate(definitions, name, () => ({ ...rest, id, name, effect, labels }));
}

/** Returns the policy with these rules. */
export function policyOf(rules: readonly ReferenceRule[]): Policy {
  return new Policy(readPolicies([{ value: rules.map(toPolicyRule), file: 'random', placeOf: () => undefined }]));
}

/** Decides each call of a trace with the engine and with the reference, and yields both decisions. */
export function* decideBoth(
  policy: Policy,
  rules: readonly ReferenceRule[],
  steps: readonly Step[],
): Generator<{ readonly engine: ReferenceDecision; readonly reference: ReferenceDecision }> {
  const sessions = new Map<string, Facts>();
  const principals = new Map<string, Facts>();
  const calls: TracedCall[] = [];
  const running: { readonly step: Step; readonly traced: TracedCall; readonly id: string; endsAt: number }[] = [];
  let now = 0;
  let seq = 0;

  const factsOf = (step: Step) => ({
    session: getOrCreate(sessions, step.session, () => policy.sessionFacts()),
    principal: getOrCreate(principals, step.principal, () => policy.principalFacts()),
  });
  const end = ({ step, traced, id }: (typeof running)[number]): void => {
    const { ending, tool, args, output, cost } = step;
    const [ran, ok] = [ending !== 'not-run', ending === 'ok'];
    traced.end = { seq: (seq += 1), at: now, ran, ok, output, cost };
    const event = {
      seq,
      at: now,
      call: id,
      tool: tool.name,
      effect: tool.effect,
      labels: tool.labels,
      ok,
      output,
      cost,
    };
    for (const facts of Object.values(factsOf(step))) {
      if (ran) facts.observe({ ...event, arguments: { ...args } });
      else facts.discard(id);
    }
  };

  for (const [index, step] of steps.entries()) {
    now += step.waitMs;
    for (const each of running.splice(0)) {
      if (each.endsAt > index) running.push(each);
      else end(each);
    }
    const { tool, session, principal } = step;
    const args = { ...step.args } as JsonObject;
    const input = { session, principal, tool, args: step.args, now };
    const reference = decideByReference(rules, input, calls);
    const definition = definitionOf(tool);
    const facts = factsOf(step);
    const id = `call_${index}`;
    const decision = policy.decide(
      {
        id,
        at: now,
        tool: definition,
        arguments: args,
        size: 100,
        principal: { id: principal, kind: 'agent' },
        session,
      },
      facts,
    );
    const shadow = (decision.shadow ?? []).map(({ rule, answer }) => `${rule} ${answer}`);
    yield { engine: { answer: decision.answer, rule: decision.rule, shadow }, reference };
    if (reference.answer === 'deny') continue;
    const traced: TracedCall = { session, principal, tool, args: step.args };
    calls.push(traced);
    for (const each of Object.values(facts)) each.begin({ id, tool: tool.name, at: now, arguments: args });
    running.push({ step, traced, id, endsAt: index + step.durationSteps });
    if (step.durationSteps === 0) running.splice(-1).forEach(end);
  }
}

function getOrCreate<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}
