import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideBoth, policyOf } from './engine-run.ts';
import { rules, trace } from './random-traces.ts';

const policies = 5000;
const tracesEach = 20;

test('the engine agrees with a slow, obvious evaluator on 100,000 random traces', () => {
  const seen = new Map<string, number>();
  const note = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  let traces = 0;
  fc.assert(
    fc.property(rules, fc.array(trace, { minLength: tracesEach, maxLength: tracesEach }), (random, many) => {
      const policy = policyOf(random);
      for (const steps of many) {
        traces += 1;
        for (const { engine, reference } of decideBoth(policy, random, steps)) {
          assert.deepEqual(engine, reference);
          const rule = random.find(({ id }) => id === engine.rule);
          note(`${rule?.kind.kind ?? 'default'} ${engine.answer}`);
          for (const each of engine.shadow) note(`shadow ${each.split(' ')[1]}`);
        }
      }
    }),
    { seed: 20_261_115, numRuns: policies },
  );
  assert.equal(traces, policies * tracesEach);
  const expected = [
    ...['deny', 'ask', 'allow'].map((answer) => `match ${answer}`),
    ...['requires', 'readBeforeWrite', 'limit', 'flow'].flatMap((kind) => [`${kind} deny`, `${kind} ask`]),
    'default allow',
    'default ask',
    'shadow deny',
    'shadow ask',
    'shadow allow',
  ];
  const rare = expected.filter((what) => (seen.get(what) ?? 0) < 1000);
  assert.deepEqual(rare, [], `each kind of answer comes often: ${JSON.stringify([...seen])}`);
});
