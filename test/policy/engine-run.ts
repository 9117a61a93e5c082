import type { JsonObject, JsonValue } from '../../src/core/json/json.ts';
import type { ToolDefinition } from '../../src/core/tools/tool.ts';
import type { Facts } from '../../src/policy/facts/facts.ts';
import { Policy } from '../../src/policy/policy.ts';
import { readPolicies } from '../../src/policy/rules/read-policies.ts';
import type { Step } from './random-traces.ts';
import type { Record, ReferenceDecision, ReferenceRule, Tool } from './reference.ts';
import { decideByReference } from './reference.ts';

/** A rule of the reference as its author would write it. */
function written({ id, shadow, answer, kind, ...scope }: ReferenceRule): JsonObject {
  const about = { id, ...(shadow ? { mode: 'shadow' } : {}), ...scope };
  const ask: { ask?: true } = answer === 'ask' ? { ask: true } : {};
  switch (kind.kind) {
    case 'match':
      return { ...about, match: kind.match, [answer]: kind.when === true ? true : kind.when.text };
    case 'requires':
      return {
        ...about,
        ...ask,
        requires: { [kind.target]: kind.steps },
        fresh: kind.fresh,
        ...byOf(kind),
        within: `${kind.withinMs}ms`,
      };
    case 'readBeforeWrite':
      return { ...about, ...ask, readBeforeWrite: { read: kind.read, write: kind.write, path: 'path' } };
    case 'limit': {
      const per = kind.windowMs === undefined ? {} : { per: `${kind.windowMs}ms` };
      const limits: { [key: string]: JsonValue } =
        kind.cost === undefined
          ? { calls: kind.calls ?? 0 }
          : { cost: kind.cost, ...(kind.costIs === 'reported' ? {} : { each: 'args.amount' }) };
      if (kind.calls !== undefined && kind.windowMs !== undefined)
        return { ...about, ...ask, rateLimit: { match: kind.match, ...byOf(kind), ...per, max: kind.calls } };
      return { ...about, ...ask, budget: { match: kind.match, ...byOf(kind), ...per, ...limits } };
    }
    case 'flow': {
      const when = kind.when === undefined ? {} : { when: kind.when };
      const within = kind.withinMs === undefined || kind.when !== undefined ? {} : { within: `${kind.withinMs}ms` };
      return { ...about, ...ask, flow: { from: [kind.from], to: [kind.to], ...when, ...within } };
    }
  }
}

function byOf({ by }: { readonly by?: string }): { by?: string } {
  return by === undefined ? {} : { by };
}

const definitions = new Map<string, ToolDefinition>();

/** The tool as the catalog would have it; always the same object for the same tool. */
export function definitionOf({ name, server, effect, labels }: Tool): ToolDefinition {
  const id = { server, tool: name.slice(`mcp__${server}__`.length) };
  const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: name };
  return kept(definitions, name, () => ({ ...rest, id, name, effect, labels }));
}

/** A policy of these rules. */
export function policyOf(rules: readonly ReferenceRule[]): Policy {
  return new Policy(readPolicies([{ value: rules.map(written), file: 'random', placeOf: () => undefined }]));
}

/** Decides a trace by the engine and by the reference, and tells of each call what both said. */
export function* decideBoth(
  policy: Policy,
  rules: readonly ReferenceRule[],
  steps: readonly Step[],
): Generator<{ readonly engine: ReferenceDecision; readonly reference: ReferenceDecision }> {
  const sessions = new Map<string, Facts>();
  const principals = new Map<string, Facts>();
  const records: Record[] = [];
  const running: { readonly step: Step; readonly record: Record; readonly call: string; endsAt: number }[] = [];
  let now = 0;
  let seq = 0;

  const factsOf = (step: Step) => ({
    session: kept(sessions, step.session, () => policy.sessionFacts()),
    principal: kept(principals, step.principal, () => policy.principalFacts()),
  });
  const end = ({ step, record, call }: (typeof running)[number]): void => {
    const { fate, tool, args, output, cost } = step;
    const [ran, ok] = [fate !== 'not-run', fate === 'ok'];
    record.end = { seq: (seq += 1), at: now, ran, ok, output, cost };
    const event = {
      seq,
      at: now,
      call,
      tool: tool.name,
      effect: tool.effect,
      labels: tool.labels,
      ok,
      output,
      cost,
    };
    for (const facts of Object.values(factsOf(step))) {
      if (ran) facts.observe({ ...event, arguments: { ...args } });
      else facts.discard(call);
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
    const question = { session, principal, tool, args: step.args, now };
    const reference = decideByReference(rules, question, records);
    const definition = definitionOf(tool);
    const facts = factsOf(step);
    const call = `call_${index}`;
    const decision = policy.decide(
      {
        id: call,
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
    const record: Record = { session, principal, tool, args: step.args };
    records.push(record);
    for (const each of Object.values(facts)) each.begin({ id: call, tool: tool.name, at: now, arguments: args });
    running.push({ step, record, call, endsAt: index + step.lasts });
    if (step.lasts === 0) running.splice(-1).forEach(end);
  }
}

function kept<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
