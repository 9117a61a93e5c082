import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideBoth, policyOf } from './engine-run.ts';
import { rules, trace } from './random-traces.ts';

const policyCount = 5000;
const tracesPerPolicy = 20;

test('the policy engine agrees with the reference evaluator on 100,000 random traces', () => {
  const counts = new Map<string, number>();
  const count = (answer: string): void => void counts.set(answer, (counts.get(answer) ?? 0) + 1);
  let traces = 0;
  fc.assert(
    fc.property(
      rules,
      fc.array(trace, { minLength: tracesPerPolicy, maxLength: tracesPerPolicy }),
      (randomRules, randomTraces) => {
        const policy = policyOf(randomRules);
        for (const steps of randomTraces) {
          traces += 1;
          for (const { engine, reference } of decideBoth(policy, randomRules, steps)) {
            assert.deepEqual(engine, reference);
            const rule = randomRules.find(({ id }) => id === engine.rule);
            count(`${rule?.kind.kind ?? 'default'} ${engine.answer}`);
            for (const each of engine.shadow) count(`shadow ${each.split(' ')[1]}`);
          }
        }
      },
    ),
    { seed: 20_261_115, numRuns: policyCount },
  );
  assert.equal(traces, policyCount * tracesPerPolicy);
  const expected = [
    ...['deny', 'ask', 'allow'].map((answer) => `match ${answer}`),
    ...['requires', 'readBeforeWrite', 'limit', 'flow'].flatMap((kind) => [`${kind} deny`, `${kind} ask`]),
    'default allow',
    'default ask',
    'shadow deny',
    'shadow ask',
    'shadow allow',
  ];
  const rare = expected.filter((answer) => (counts.get(answer) ?? 0) < 1000);
  assert.deepEqual(rare, [], `each kind of answer must be frequent: ${JSON.stringify([...counts])}`);
});
