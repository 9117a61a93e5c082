/**
 * Measures the cost of a decision: 200 rules of every kind, and a session with 10,000 ended calls, compared with the reference
 * evaluator of the tests, which reads the whole trace each time. Runs once with rules that are spread over the tools, and once
 * with conditions that apply to every tool.
 *
 *   npm run bench -- policy
 */
import fc from 'fast-check';
import type { JsonObject } from '../src/core/json/json.ts';
import { definitionOf, policyOf } from '../test/policy/engine-run.ts';
import { type Step, meanings, rules as someRules, trace } from '../test/policy/random-traces.ts';
import { type Record, type ReferenceRule, decideByReference } from '../test/policy/reference.ts';

const events = 10_000;
const wanted = 200;
const seed = 4;
const decisions = 500;

/** Returns rules of every kind that allow most calls, so that each decision evaluates all of them. */
function mixed(): ReferenceRule[] {
  return fc
    .sample(someRules, { seed, numRuns: wanted })
    .flat()
    .filter(({ kind }) => kind.kind !== 'match' || kind.when !== true)
    .slice(0, wanted)
    .map((rule, index) => ({
      ...rule,
      id: `r${index}`,
      shadow: false,
      answer: rule.answer === 'allow' ? 'allow' : 'ask',
    }));
}

/** Returns rules with conditions that apply to every tool. */
function conditions(): ReferenceRule[] {
  return Array.from({ length: wanted }, (_, index) => ({
    id: `r${index}`,
    shadow: false,
    answer: 'allow' as const,
    kind: { kind: 'match' as const, match: ['*'], when: meanings[1 + (index % 13)] ?? true },
  }));
}

interface Subject {
  readonly name: string;
  readonly rounds: number;
  readonly calls: number;
  decide(index: number): unknown;
}

function prepare(rules: readonly ReferenceRule[]): readonly Subject[] {
  const policy = policyOf(rules);
  const past = { session: policy.sessionFacts(), principal: policy.principalFacts() };
  const steps: readonly Step[] = fc
    .sample(trace, { seed, numRuns: events / 4 })
    .flat()
    .slice(0, events + decisions);
  const records: Record[] = [];
  for (const [seq, { tool, args, output, cost }] of steps.slice(0, events).entries()) {
    const end = { seq: seq + 1, at: seq * 100, ran: true, ok: true, output, cost };
    records.push({ session: 's1', principal: 'ann', tool, args, end });
    const { name, effect, labels } = tool;
    const event = {
      ...end,
      call: `c${seq}`,
      tool: name,
      effect,
      labels,
      arguments: { ...args } as JsonObject,
    };
    for (const facts of Object.values(past)) facts.observe(event);
  }
  const calls = steps.slice(events).map(({ tool, args }, index) => {
    const size = JSON.stringify(args).length;
    const question = { session: 's1', principal: 'ann', tool, args, now: events * 100 };
    const principal = { id: 'ann', kind: 'agent' as const };
    const base = { id: `d${index}`, at: events * 100, session: 's1', size, principal };
    return { question, call: { ...base, tool: definitionOf(tool), arguments: { ...args } } };
  });
  const at = (index: number): (typeof calls)[number] => {
    const found = calls[index % calls.length];
    if (found === undefined) throw new Error('no calls to decide');
    return found;
  };
  return [
    { name: 'engine', rounds: 100, calls: decisions, decide: (index) => policy.decide(at(index).call, past) },
    {
      name: 'reference',
      rounds: 1,
      calls: 25,
      decide: (index) => decideByReference(rules, at(index).question, records),
    },
  ];
}

/**
 * Returns the time of every decision in microseconds, for which callers wait, and the fastest run of each decision. The latter
 * excludes garbage collection and other load of the machine: a lower bound, for comparing code changes.
 */
function timed({ rounds, calls, decide }: Subject): { readonly all: Float64Array; readonly best: Float64Array } {
  // Preallocated, because growing an array would copy it during the measurement.
  const all = new Float64Array(rounds * calls);
  const best = new Float64Array(calls).fill(Number.POSITIVE_INFINITY);
  for (let round = -Math.floor(rounds / 10); round < rounds; round += 1) {
    for (let index = 0; index < calls; index += 1) {
      const begun = performance.now();
      decide(index);
      const taken = (performance.now() - begun) * 1000;
      if (round < 0) continue;
      all[round * calls + index] = taken;
      best[index] = Math.min(best[index] ?? taken, taken);
    }
  }
  return { all: all.toSorted(), best: best.toSorted() };
}

const shown = (values: Float64Array, part: number): string =>
  (values[Math.floor(values.length * part)] ?? Number.NaN).toFixed(1);

for (const [title, rules] of [
  [`${wanted} rules of every kind, spread over six tools`, mixed()],
  [`${wanted} conditions, each about every tool`, conditions()],
] as const) {
  console.log(`\n${title}, ${events.toLocaleString('en')} calls before\n`);
  console.log(
    '| µs for a decision | **p99** | p50 | p99 of each one’s fastest run (without preemption) | p50 of these |',
  );
  console.log('|---|---|---|---|---|');
  for (const subject of prepare(rules)) {
    const { all, best } = timed(subject);
    const cells = [`**${shown(all, 0.99)}**`, shown(all, 0.5), shown(best, 0.99), shown(best, 0.5)];
    console.log(`| ${subject.name} | ${cells.join(' | ')} |`);
  }
}
