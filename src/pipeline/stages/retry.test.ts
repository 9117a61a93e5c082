import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallOptions, type CallResult, type Signalbox, createSignalbox } from '../../index.ts';
import { OutcomeUnknownError, ServerUnreachableError } from '../../core/tools/source-errors.ts';
import type { SourceTool } from '../../catalog/source/source.ts';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { RetryBudget } from './retry.ts';

/** Creates a box with a tool that throws this error a number of times before it succeeds. */
async function boxFailing(
  times: number,
  error: () => Error,
  more: Partial<SourceTool> = {},
): Promise<{ box: Signalbox; call: (options?: CallOptions) => Promise<CallResult>; runs: () => number }> {
  let runs = 0;
  const tool = testTool('act', {
    run: async () => {
      runs += 1;
      if (runs <= times) throw error();
      return 'done';
    },
    ...more,
  });
  const box = await createSignalbox({ servers: [testSource('t', [tool])], approve: () => ({ allow: true }) });
  return { box, call: (options) => box.call('mcp__t__act', {}, options), runs: () => runs };
}

const lost = (): Error => new OutcomeUnknownError('the connection broke');
const unreached = (): Error => new ServerUnreachableError('refused');

describe('retries', () => {
  test('repeat reads and idempotent tools when the connection broke, and record the number of attempts', async () => {
    for (const error of [lost, unreached]) {
      for (const more of [{ effect: 'read' }, { effect: 'irreversible', idempotent: true }] as const) {
        const { box, call, runs } = await boxFailing(2, error, more);
        const result = await call();
        assert.deepEqual([result.outcome, runs()], ['completed', 3]);
        const entry = await box.journal.call(result.callId);
        assert.ok(entry?.type === 'ToolInvoked' && entry.attempts === 3);
        await box.close();
      }
    }
  });

  test('end with an outcome that says that an earlier attempt may have run, and how many there were', async () => {
    for (const [more, outcome, code] of [
      [{ effect: 'read' }, 'failed', 'tool-failed'],
      [{ effect: 'irreversible', idempotent: true }, 'unknown', 'outcome-lost'],
    ] as const) {
      let runs = 0;
      const error = (): Error => ((runs += 1) === 1 ? lost() : unreached());
      const { box, call } = await boxFailing(9, error, more);
      const result = await call();
      assert.deepEqual([result.outcome, result.error?.code], [outcome, code]);
      const { message = '' } = result.error ?? {};
      assert.match(message, /^mcp__t__act may have run: the connection broke; .* refused \(3 attempts\)$/);
      assert.doesNotMatch(message, /not run|nothing/);
      const entry = await box.journal.call(result.callId);
      assert.ok(entry?.type === 'ToolInvoked' && entry.error?.message === message && entry.attempts === 3);
      await box.close();
    }
  });

  test('are limited to two', async () => {
    const { box, call, runs } = await boxFailing(9, unreached);
    assert.deepEqual([(await call()).error?.code, runs()], ['server-down', 3]);
    await box.close();
  });

  test('never repeat a tool with an effect or an error of the tool', async () => {
    for (const effect of ['undoable', 'compensable', 'irreversible'] as const) {
      for (const error of [lost, unreached]) {
        const { box, call, runs } = await boxFailing(9, error, { effect });
        assert.notEqual((await call()).outcome, 'completed');
        assert.equal(runs(), 1, effect);
        await box.close();
      }
    }
    const { box, call, runs } = await boxFailing(9, () => new Error('wrong'));
    const result = await call();
    assert.deepEqual([result.outcome, runs()], ['failed', 1]);
    const entry = await box.journal.call(result.callId);
    assert.ok(entry?.type === 'ToolInvoked' && entry.attempts === undefined);
    await box.close();
  });

  test('end at the deadline of the caller and when it cancels', async () => {
    const { box, call, runs } = await boxFailing(9, lost);
    await call({ deadline: Date.now() + 40 });
    assert.equal(runs(), 1);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await call({ signal: controller.signal });
    assert.equal(runs(), 2);
    await box.close();
  });

  test('have a budget for each server: one for every ten calls, and a burst of ten', () => {
    const budget = new RetryBudget();
    const spend = (): number => {
      let spent = 0;
      while (budget.spend()) spent += 1;
      return spent;
    };
    assert.equal(spend(), 10);
    for (let calls = 0; calls < 55; calls += 1) budget.earn();
    assert.equal(spend(), 5);
    for (let calls = 0; calls < 1000; calls += 1) budget.earn();
    assert.equal(spend(), 10);
  });
});
