import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ModelScript } from '../../../test/support/model/model-script.ts';
import { startOpenAIApi } from '../../../test/support/model/openai-api.ts';
import { scriptedModel } from '../../../test/support/model/scripted-model.ts';
import { type TurnResult, runTurn } from '../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../test/support/runtime/suite-box.ts';
import { type TurnLimits, TurnBudget } from './turn-budget.ts';
import { modelRuntime } from './model-runtime.ts';

/** A model that never stops calling tools. */
const endless: ModelScript = () => [{ type: 'tool_use', name: 'mcp__suite__add', input: { a: 1, b: 1 } }];

describe('limits of a turn', () => {
  let box: SuiteBox;
  before(async () => {
    box = await openSuiteBox();
  });
  after(() => box.close());

  function runWithLimits(limits: TurnLimits, script = endless): Promise<TurnResult> {
    const runtime = modelRuntime({
      limits,
      chooseModel: (name) => ({ name, provider: name, model: scriptedModel(script), acceptsImages: false }),
    });
    return runTurn(runtime, box, 'go');
  }

  test('ends at the limit of steps', async () => {
    const { reason, errors, results, memory } = await runWithLimits({ steps: 3 });
    assert.deepEqual([reason, results.length, errors[0]?.code], ['limit', 3, 'turn-limit']);
    assert.match(errors[0]?.message ?? '', /asked 3 times \(limit "steps"\)/);
    const next = await runWithLimits({}, () => [{ type: 'text', text: 'done' }]);
    assert.ok(memory !== undefined && next.reason === 'end');
  });

  test('ends at the limit of tokens', async () => {
    const { reason, errors, results } = await runWithLimits({ tokens: 40 });
    assert.deepEqual([reason, results.length], ['limit', 3]);
    assert.match(errors[0]?.message ?? '', /45 tokens.*"tokens": 40/);
  });

  test('ends at the time limit during a call', async () => {
    const hanging: ModelScript = () => [{ type: 'tool_use', name: 'mcp__suite__hang', input: {} }];
    const { reason, errors, results } = await runWithLimits({ timeMs: 50 }, hanging);
    assert.deepEqual([reason, results[0]?.outcome], ['limit', 'cancelled']);
    assert.match(errors[0]?.message ?? '', /longer than 50 ms/);
  });

  test('ends at the cost limit if the provider reports costs', async (t) => {
    const api = await startOpenAIApi(endless);
    t.after(() => api.close());
    const runtime = modelRuntime({
      model: 'mine/m',
      providers: { mine: { baseURL: api.url } },
      limits: { costUsd: 0.5 },
    });
    const { reason, errors, events } = await runTurn(runtime, box, 'go');
    assert.equal(reason, 'limit');
    assert.match(errors[0]?.message ?? '', /\$0\.5000.*"costUsd": 0\.5/);
    assert.equal(events.findLast((event) => event.type === 'status')?.costUsd, 0.5);
  });

  test('has a default of fifty steps', () => {
    const budget = new TurnBudget({}, new AbortController().signal);
    for (let step = 0; step < 49; step += 1) budget.countStep();
    assert.equal(budget.reachedLimit(), undefined);
    budget.countStep();
    assert.match(budget.reachedLimit() ?? '', /50 times/);
  });
});
