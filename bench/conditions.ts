/**
 * Measures the processor time of one decision, with conditions and arguments that are designed to be slow. Exits with 1 when a
 * decision takes more than 50 ms: then a cost in `src/policy/conditions/work-costs.ts` is too low. `SIGNALBOX_SEED` selects other
 * conditions.
 */
import fc from 'fast-check';
import type { JsonObject } from '../src/core/json/json.ts';
import { Policy } from '../src/policy/policy.ts';
import { PolicyError } from '../src/policy/rules/policy-error.ts';
import { readPolicies } from '../src/policy/rules/read-policies.ts';
import { hostileConditions, largeArguments, slowConditions } from '../test/policy/adversarial-conditions.ts';

const seed = Number(process.env['SIGNALBOX_SEED'] ?? 20_261_116);
const rounds = Number(process.env['SIGNALBOX_ROUNDS'] ?? 200);
const maxDecisionMs = 50;
const maxRules = 5;

interface Measured {
  readonly ms: number;
  readonly text: string;
  readonly reason: string;
}

const tool = {
  id: { server: 'a', tool: 'b' },
  name: 'mcp__a__b',
  description: '',
  inputSchema: {},
  annotations: {},
  idempotent: false,
  definitionHash: '',
  effect: 'irreversible' as const,
  labels: [],
};

function policyOf(conditions: readonly string[]): Policy | undefined {
  // Rules that do not deny, so that one decision evaluates all of them.
  const value = conditions.map((text, index) => ({ id: `rule-${index}`, match: '*', allow: text }));
  try {
    return new Policy(readPolicies([{ value, file: 'bench', placeOf: () => undefined }]));
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}

function measure(policy: Policy, args: JsonObject, text: string): Measured {
  const parsed = JSON.parse(JSON.stringify(args)) as JsonObject;
  const size = JSON.stringify(args).length;
  const past = { session: policy.sessionFacts(), principal: policy.principalFacts() };
  const call = {
    id: 'c',
    at: Date.now(),
    tool,
    arguments: parsed,
    size,
    principal: { id: 'p', kind: 'agent' as const },
    session: 's',
  };
  let best = Number.POSITIVE_INFINITY;
  let reason = '';
  // Takes the shorter of two runs, to exclude compilation and garbage collection.
  for (let run = 0; run < 2; run += 1) {
    const started = process.cpuUsage();
    reason = policy.decide(call, past).reason;
    const { user, system } = process.cpuUsage(started);
    best = Math.min(best, (user + system) / 1000);
  }
  return { ms: best, text, reason };
}

const all: Measured[] = [];
const samples = fc.sample(
  fc.tuple(fc.array(hostileConditions, { minLength: 1, maxLength: maxRules }), largeArguments),
  {
    seed,
    numRuns: rounds,
  },
);
for (const [conditions, args] of samples) {
  const policy = policyOf(conditions);
  if (policy !== undefined) all.push(measure(policy, args, conditions.join('  |  ')));
}
for (const args of fc.sample(largeArguments, { seed: seed + 1, numRuns: 6 }))
  for (const text of slowConditions) {
    const policy = policyOf([text]);
    if (policy !== undefined) all.push(measure(policy, args, text));
  }

const slowest = all.toSorted((one, other) => other.ms - one.ms);
console.log(`decisions of hostile conditions: ${all.length}, seed ${seed}`);
for (const { ms, text, reason } of slowest.slice(0, 12))
  console.log(`  ${ms.toFixed(1).padStart(7)} ms  ${text.slice(0, 110)}  →  ${reason.slice(0, 60)}`);
const [worst] = slowest;
const denied = all.filter(({ reason }) => reason.includes('too much processor time')).length;
console.log(
  `  ${denied} of them denied because of their work; the slowest took ${worst?.ms.toFixed(1)} ms of processor time`,
);
if (worst === undefined || worst.ms > maxDecisionMs) process.exitCode = 1;
