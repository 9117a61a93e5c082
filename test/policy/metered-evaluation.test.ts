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
const conditions = 25_000;
const scenesEach = 4;

type Ended = { readonly value: unknown } | { readonly error: string };

function ended(run: () => unknown): Ended {
  try {
    return { value: run() };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function sceneWith(args: JsonObject, dice: number, meters: WindowMeters): ConditionInput {
  const facts = new Facts({ meters: meters.all(), tracks: [], valuesOf: [] });
  const event = { effect: 'read' as const, labels: ['x'], output: '', ok: dice % 3 > 0, cost: 1.5 };
  if (dice > 1)
    facts.observe({ ...event, seq: 1, at: at - 1000, call: 'c1', tool: 'a', arguments: { a: dice, path: 'x' } });
  if (dice > 3) facts.observe({ ...event, seq: 3, at: at - 500, call: 'c2', tool: 'b1', arguments: args });
  if (dice > 5) facts.begin({ id: 'c3', tool: 'a', at: at - 10, arguments: args });
  const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: '' };
  const id = { server: 'a', tool: 'b' };
  const tool = new ToolView({ ...rest, id, name: 'A b', effect: 'read', labels: ['a', 'x'] });
  const principal = { id: 'b', kind: 'agent' as const };
  const call = { id: 'x', at, arguments: args, size: 100, principal, session: dice % 2 === 0 ? 'a' : undefined };
  return new ConditionInput(call, tool, facts);
}

test('metered evaluation gives the same value or error as the CEL library on 100,000 random evaluations', () => {
  const seen = { yes: 0, no: 0, failed: 0 };
  fc.assert(
    fc.property(
      conditionTexts,
      fc.array(fc.tuple(conditionArguments, fc.integer({ min: 0, max: 7 })), {
        minLength: scenesEach,
        maxLength: scenesEach,
      }),
      (text, scenes) => {
        const meters = new WindowMeters();
        const { value: condition } = new ConditionCompiler(meters).condition(text);
        if (condition === undefined) return;
        const unmetered = conditionLanguage(meters).parse(text);
        unmetered.check();
        for (const [args, dice] of scenes) {
          const scene = sceneWith(args, dice, meters);
          const expected = ended(() => evaluateWithin(scene, 0, () => unmetered(scene) as unknown));
          const actual = ended(() => condition.holds(scene));
          // Comparisons that are made directly do not name the types of odd values, such as objects with the key `constructor`.
          if ('error' in expected && expected.error.startsWith('Unsupported type')) continue;
          if ('value' in expected && typeof expected.value !== 'boolean') assert.ok('error' in actual, text);
          else assert.deepEqual(actual, expected, text);
          if ('error' in actual) seen.failed += 1;
          else seen[actual.value === true ? 'yes' : 'no'] += 1;
        }
      },
    ),
    { seed: 20_261_115, numRuns: conditions },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 3000, `${what}: ${JSON.stringify(seen)}`);
});
