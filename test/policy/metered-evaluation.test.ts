import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import fc from 'fast-check';
import { messageOf } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { ConditionCompiler } from '../../src/policy/conditions/condition.ts';
import { Facts } from '../../src/policy/facts/facts.ts';
import { WindowMeters, conditionLanguage } from '../../src/policy/conditions/condition-language.ts';
import { evaluateWithin, meterCondition } from '../../src/policy/conditions/metered-evaluation.ts';
import { Scene } from '../../src/policy/conditions/condition-input.ts';
import { unsure } from '../../src/policy/conditions/shortcut/code.ts';
import { shortcutOf } from '../../src/policy/conditions/shortcut/shortcut.ts';
import { ToolView } from '../../src/policy/conditions/condition-views.ts';
import { conditionArguments, conditionTexts } from './random-conditions.ts';

const at = Date.parse('2026-11-15T12:34:56.002Z');
const conditions = 25_000;
const scenesEach = 4;

/** A value of CEL's evaluator as a shortcut gives it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  return value instanceof Duration ? value.valueOf() : value;
}

type Ended = { readonly value: unknown } | { readonly error: string };

function ended(run: () => unknown): Ended {
  try {
    return { value: run() };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function sceneWith(args: JsonObject, dice: number, meters: WindowMeters): Scene {
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
  return new Scene(call, tool, facts);
}

test('a shortcut gives the value that CEL’s evaluator gives, or none, on 100,000 random evaluations', () => {
  const seen = { taken: 0, unsure: 0, none: 0, yes: 0, no: 0, failed: 0 };
  fc.assert(
    fc.property(
      conditionTexts,
      fc.array(fc.tuple(conditionArguments, fc.integer({ min: 0, max: 7 })), {
        minLength: scenesEach,
        maxLength: scenesEach,
      }),
      (text, scenes) => {
        const meters = new WindowMeters();
        const language = conditionLanguage(meters);
        const loaded = ended(() => {
          const expression = language.parse(text);
          if (!expression.check().valid) return undefined;
          meterCondition(expression.ast);
          return expression;
        }) as { readonly value?: ReturnType<typeof language.parse> };
        if (loaded.value === undefined) return;
        const celSays = loaded.value;
        const shortcut = shortcutOf(celSays.ast, language, meters);
        const { value: condition } = new ConditionCompiler(meters).condition(text);
        for (const [args, dice] of scenes) {
          const scene = sceneWith(args, dice, meters);
          const expected = ended(() => evaluateWithin(scene, () => celSays(scene) as unknown));
          if (shortcut === undefined) seen.none += 1;
          else {
            const value = shortcut.run(scene);
            // A list or an object is no answer; whatever looks into it decides whether it knows.
            if (value === unsure || (typeof value === 'object' && value !== null)) seen.unsure += 1;
            else {
              seen.taken += 1;
              assert.ok('value' in expected, `${text}: ${inspect(value)} where CEL fails`);
              assert.ok(
                value === plain(expected.value) || Object.is(value, plain(expected.value)),
                `${text}: ${inspect(value)}, CEL says ${inspect(expected.value)}`,
              );
            }
          }
          if (condition === undefined) continue;
          const whole = ended(() => condition.holds(scene));
          if ('value' in expected && typeof expected.value !== 'boolean') assert.ok('error' in whole, text);
          else assert.deepEqual(whole, expected, text);
          if ('error' in whole) seen.failed += 1;
          else seen[whole.value === true ? 'yes' : 'no'] += 1;
        }
      },
    ),
    { seed: 20_261_115, numRuns: conditions },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 3000, `${what}: ${JSON.stringify(seen)}`);
});
