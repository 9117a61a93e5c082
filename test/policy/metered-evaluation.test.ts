import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { messageOf } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { ConditionCompiler } from '../../src/policy/conditions/condition.ts';
import { Facts } from '../../src/policy/facts/facts.ts';
import { WindowMeters, conditionLanguage } from '../../src/policy/conditions/condition-language.ts';
import { evaluateWithin } from '../../src/policy/conditions/running-evaluation.ts';
import { ConditionInput, ToolView } from '../../src/policy/conditions/condition-input.ts';
import { conditionArguments, conditionTexts } from './random-conditions.ts';

const at = Date.parse('2026-11-15T12:34:56.002Z');
const conditionCount = 25_000;
const inputsPerCondition = 4;

type Evaluation = { readonly value: unknown } | { readonly error: string };

function evaluationOf(evaluate: () => unknown): Evaluation {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Returns an input with a history of calls and a session that depend on `variant`. */
function inputWith(args: JsonObject, variant: number, meters: WindowMeters): ConditionInput {
  const facts = new Facts({ meters: meters.all(), tracks: [], trackedLabels: [] });
  const event = { effect: 'read' as const, labels: ['x'], output: '', ok: variant % 3 > 0, cost: 1.5 };
  if (variant > 1)
    facts.observe({ ...event, seq: 1, at: at - 1000, call: 'c1', tool: 'a', arguments: { a: variant, path: 'x' } });
  if (variant > 3) facts.observe({ ...event, seq: 3, at: at - 500, call: 'c2', tool: 'b1', arguments: args });
  if (variant > 5) facts.begin({ id: 'c3', tool: 'a', at: at - 10, arguments: args });
  const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: '' };
  const id = { server: 'a', tool: 'b' };
  const tool = new ToolView({ ...rest, id, name: 'A b', effect: 'read', labels: ['a', 'x'] });
  const principal = { id: 'b', kind: 'agent' as const };
  const call = { id: 'x', at, arguments: args, size: 100, principal, session: variant % 2 === 0 ? 'a' : undefined };
  return new ConditionInput(call, tool, facts);
}

test('metered evaluation gives the same value or error as the CEL library on 100,000 random evaluations', () => {
  const counts = { yes: 0, no: 0, failed: 0 };
  fc.assert(
    fc.property(
      conditionTexts,
      fc.array(fc.tuple(conditionArguments, fc.integer({ min: 0, max: 7 })), {
        minLength: inputsPerCondition,
        maxLength: inputsPerCondition,
      }),
      (text, variants) => {
        const meters = new WindowMeters();
        const { value: condition } = new ConditionCompiler(meters).condition(text);
        if (condition === undefined) return;
        const unmetered = conditionLanguage(meters).parse(text);
        unmetered.check();
        for (const [args, variant] of variants) {
          const input = inputWith(args, variant, meters);
          const expected = evaluationOf(() => evaluateWithin(input, 0, () => unmetered(input) as unknown));
          const actual = evaluationOf(() => condition.holds(input));
          // Optimized comparisons do not report unsupported types, such as objects with the key `constructor`.
          if ('error' in expected && expected.error.startsWith('Unsupported type')) continue;
          if ('value' in expected && typeof expected.value !== 'boolean') assert.ok('error' in actual, text);
          else assert.deepEqual(actual, expected, text);
          if ('error' in actual) counts.failed += 1;
          else counts[actual.value === true ? 'yes' : 'no'] += 1;
        }
      },
    ),
    { seed: 20_261_115, numRuns: conditionCount },
  );
  for (const [result, count] of Object.entries(counts)) assert.ok(count > 3000, `${result}: ${JSON.stringify(counts)}`);
});
