import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { parseMemory, toMemory } from './conversation.ts';

const turn = fc
  .record({
    asked: fc.string({ minLength: 1, maxLength: 60 }),
    steps: fc.nat(3),
    answered: fc.string({ maxLength: 60 }),
  })
  .map(({ asked, steps, answered }): ModelMessage[] => [
    { role: 'user', content: asked },
    ...Array.from({ length: steps }, (_, index): ModelMessage[] => [
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: `${index}`,
            toolName: 'look',
            input: { at: asked },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: `${index}`, toolName: 'look', output: { type: 'text', value: answered } },
        ],
      },
    ]).flat(),
    { role: 'assistant', content: answered },
  ]);

describe('memory', () => {
  test('is the whole conversation while there is room', () => {
    fc.assert(
      fc.property(fc.array(turn), (turns) => {
        const messages = turns.flat();
        assert.deepEqual(parseMemory(toMemory(messages)), JSON.parse(JSON.stringify(messages)));
      }),
      { seed: 4711 },
    );
  });

  test('that is too much forgets the oldest turns whole, never the last question, and never half of a call', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 300, max: 1500 }),
        (turns, most) => {
          const kept = parseMemory(toMemory(turns.flat(), most));
          assert.ok(JSON.stringify(kept).length <= most + 100, 'more was kept than there is room for');
          assert.equal(kept[0]?.role, 'user');
          assert.deepEqual(
            kept.findLast(({ role }) => role === 'user'),
            turns.at(-1)?.[0],
          );
          const calls = kept.flatMap(({ role, content }) =>
            role === 'assistant' && Array.isArray(content) ? content : [],
          );
          const results = kept.filter(({ role }) => role === 'tool');
          assert.equal(calls.length, results.length);
        },
      ),
      { seed: 4711, numRuns: 300 },
    );
  });

  test('of one turn that is too much keeps what was asked and answered', () => {
    const kept = parseMemory(
      toMemory(
        [
          { role: 'user', content: 'look' },
          { role: 'assistant', content: 'x'.repeat(1000) },
          { role: 'user', content: 'look again' },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: '1',
                toolName: 'look',
                output: { type: 'text', value: 'y'.repeat(1000) },
              },
            ],
          },
          { role: 'assistant', content: [{ type: 'text', text: 'seen' }] },
        ],
        500,
      ),
    );
    assert.equal(kept.length, 2);
    assert.equal(kept[0]?.content, 'look again');
    assert.match(JSON.stringify(kept[1]), /left out.*\\nseen"/);
  });

  test('of another runtime is none', () => {
    for (const other of [undefined, null, 'text', { session: 'abc' }, { version: 2, messages: [] }])
      assert.deepEqual(parseMemory(other), []);
  });
});
