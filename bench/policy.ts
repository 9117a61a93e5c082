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
import { type Step, referenceConditions, rules as randomRules, trace } from '../test/policy/random-traces.ts';
import { type ReferenceRule, type TracedCall, decideByReference } from '../test/policy/reference.ts';
import { quantile } from './support/measure.ts';

const eventCount = 10_000;
const ruleCount = 200;
const seed = 4;
const decisionCount = 500;

/** Returns rules of every kind that allow most calls, so that each decision evaluates all of them. */
function mixedRules(): ReferenceRule[] {
  return fc
    .sample(randomRules, { seed, numRuns: ruleCount })
    .flat()
    .filter(({ kind }) => kind.kind !== 'match' || kind.when !== true)
    .slice(0, ruleCount)
    .map((rule, index) => ({
      ...rule,
      id: `r${index}`,
      shadow: false,
      answer: rule.answer === 'allow' ? 'allow' : 'ask',
    }));
}

/** Returns rules with conditions that apply to every tool. */
function conditionRules(): ReferenceRule[] {
  return Array.from({ length: ruleCount }, (_, index) => ({
    id: `r${index}`,
    shadow: false,
    answer: 'allow' as const,
    kind: { kind: 'match' as const, match: ['*'], when: referenceConditions[1 + (index % 13)] ?? true },
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
  const facts = { session: policy.sessionFacts(), principal: policy.principalFacts() };
  const steps: readonly Step[] = fc
    .sample(trace, { seed, numRuns: eventCount / 4 })
    .flat()
    .slice(0, eventCount + decisionCount);
  const pastCalls: TracedCall[] = [];
  for (const [seq, { tool, args, output, cost }] of steps.slice(0, eventCount).entries()) {
    const end = { seq: seq + 1, at: seq * 100, ran: true, ok: true, output, cost };
    pastCalls.push({ session: 's1', principal: 'ann', tool, args, end });
    const { name, effect, labels } = tool;
    const event = {
      ...end,
      call: `c${seq}`,
      tool: name,
      effect,
      labels,
      arguments: { ...args } as JsonObject,
    };
    for (const each of Object.values(facts)) each.observe(event);
  }
  const calls = steps.slice(eventCount).map(({ tool, args }, index) => {
    const size = JSON.stringify(args).length;
    const input = { session: 's1', principal: 'ann', tool, args, now: eventCount * 100 };
    const principal = { id: 'ann', kind: 'agent' as const };
    const base = { id: `d${index}`, at: eventCount * 100, session: 's1', size, principal };
    return { input, call: { ...base, tool: definitionOf(tool), arguments: { ...args } } };
  });
  const callAt = (index: number): (typeof calls)[number] => {
    const found = calls[index % calls.length];
    if (found === undefined) throw new Error('no calls to decide');
    return found;
  };
  return [
    { name: 'engine', rounds: 100, calls: decisionCount, decide: (index) => policy.decide(callAt(index).call, facts) },
    {
      name: 'reference',
      rounds: 1,
      calls: 25,
      decide: (index) => decideByReference(rules, callAt(index).input, pastCalls),
    },
  ];
}

/**
 * Returns the time of every decision in microseconds, and of the fastest run of each decision. The latter excludes garbage
 * collection and other load of the machine, for comparing code changes.
 */
function measureTimes({ rounds, calls, decide }: Subject): { readonly all: Float64Array; readonly best: Float64Array } {
  // Preallocated, because growing an array would copy it during the measurement.
  const all = new Float64Array(rounds * calls);
  const best = new Float64Array(calls).fill(Number.POSITIVE_INFINITY);
  for (let round = -Math.floor(rounds / 10); round < rounds; round += 1) {
    for (let index = 0; index < calls; index += 1) {
      const started = performance.now();
      decide(index);
      const elapsed = (performance.now() - started) * 1000;
      if (round < 0) continue;
      all[round * calls + index] = elapsed;
      best[index] = Math.min(best[index] ?? elapsed, elapsed);
    }
  }
  return { all: all.toSorted(), best: best.toSorted() };
}

for (const [title, rules] of [
  [`${ruleCount} rules of every kind, spread over six tools`, mixedRules()],
  [`${ruleCount} conditions, each for every tool`, conditionRules()],
] as const) {
  console.log(`\n${title}, ${eventCount.toLocaleString('en')} calls before\n`);
  console.log(
    '| µs for a decision | **p99** | p50 | p99 of each one’s fastest run (without preemption) | p50 of these |',
  );
  console.log('|---|---|---|---|---|');
  for (const subject of prepare(rules)) {
    const { all, best } = measureTimes(subject);
    const [p99, ...others] = [quantile(all, 0.99), quantile(all, 0.5), quantile(best, 0.99), quantile(best, 0.5)].map(
      (us) => us.toFixed(1),
    );
    const cells = [`**${p99}**`, ...others];
    console.log(`| ${subject.name} | ${cells.join(' | ')} |`);
  }
}
