import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { ModelBlock, ModelRefusal } from '../../../../test/support/model/model-script.ts';
import { scriptedModel } from '../../../../test/support/model/scripted-model.ts';
import { runTurn } from '../../../../test/support/runtime/run-turn.ts';
import { type SuiteBox, openSuiteBox } from '../../../../test/support/runtime/suite-box.ts';
import { modelRuntime } from '../model-runtime.ts';

const call = fc.record({
  type: fc.constant('tool_use' as const),
  name: fc.constantFrom(
    'mcp__suite__add',
    'mcp__suite__boom',
    'mcp__suite__note',
    'ask_user',
    'no such tool',
    '__proto__',
    '',
  ),
  input: fc.oneof(fc.constant({ a: 1, b: 2 }), fc.constant({ text: 'x' }), fc.object({ maxDepth: 2 })),
});
const oddCall = fc.record({
  type: fc.constant('tool_use' as const),
  name: fc.constantFrom('mcp__suite__add', 'nothing'),
  input: fc.constant({}),
  raw: fc.oneof(fc.string(), fc.json()),
});
const text = fc.record({ type: fc.constantFrom('text' as const, 'thinking' as const), text: fc.string() });
const end = fc.constantFrom<ModelBlock[]>([], [], [], [{ type: 'drop' }], [{ type: 'cut' }]);
const answer: fc.Arbitrary<readonly ModelBlock[] | ModelRefusal> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.array(fc.oneof(text, call, oddCall), { maxLength: 4 }), end)
      .map(([blocks, last]) => [...blocks, ...last]),
  },
  { weight: 1, arbitrary: fc.constant({ status: 400, message: 'no' }) },
);

let box: SuiteBox;
before(async () => {
  box = await openSuiteBox();
});
after(() => box.close());

test('a turn has complete events for any answer and any interrupt, and the next turn continues', async () => {
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { maxLength: 4 }), fc.option(fc.nat(12)), async (answers, interruptAt) => {
      let requests = 0;
      let isNextTurn = false;
      const script = (): readonly ModelBlock[] | ModelRefusal =>
        isNextTurn ? [{ type: 'text', text: 'on' }] : (answers[requests++] ?? [{ type: 'text', text: 'end' }]);
      const runtime = modelRuntime({
        limits: { steps: 6 },
        chooseModel: (name) => ({ name, provider: name, model: scriptedModel(script), acceptsImages: false }),
      });
      const interrupt = new AbortController();
      let events = 0;
      const turn = await runTurn(runtime, box, 'go', {
        signal: interrupt.signal,
        onEvent: () => interruptAt === events++ && interrupt.abort(),
      });
      reasons.add(turn.reason);
      const ended = turn.events.filter(({ type }) => type === 'tool_call_end').length;
      assert.equal(turn.results.length, ended, 'every requested call has a result');
      isNextTurn = true;
      const next = await runTurn(runtime, box, 'again', { memory: turn.memory ?? null });
      assert.deepEqual([next.text, next.reason], ['on', 'end']);
    }),
    { seed: 4711, numRuns: 150 },
  );
  assert.deepEqual(
    [...reasons].toSorted((a, b) => a.localeCompare(b)),
    ['end', 'error', 'interrupted', 'limit'],
  );
});
