import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { parseMemory, toMemory } from './conversation.ts';

const turn = fc
  .record({
    question: fc.string({ minLength: 1, maxLength: 60 }),
    steps: fc.nat(3),
    answer: fc.string({ maxLength: 60 }),
  })
  .map(({ question, steps, answer }): ModelMessage[] => [
    { role: 'user', content: question },
    ...Array.from({ length: steps }, (_, index): ModelMessage[] => [
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: `${index}`,
            toolName: 'look',
            input: { at: question },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: `${index}`, toolName: 'look', output: { type: 'text', value: answer } },
        ],
      },
    ]).flat(),
    { role: 'assistant', content: answer },
  ]);

describe('memory of a conversation', () => {
  test('holds the whole conversation below the size limit', () => {
    fc.assert(
      fc.property(fc.array(turn), (turns) => {
        const messages = turns.flat();
        assert.deepEqual(parseMemory(toMemory(messages)), JSON.parse(JSON.stringify(messages)));
      }),
      { seed: 4711 },
    );
  });

  test('over the limit drops whole turns from the start, never the last question or half of a call', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 300, max: 1500 }),
        (turns, maxCharacters) => {
          const messages = parseMemory(toMemory(turns.flat(), maxCharacters));
          assert.ok(JSON.stringify(messages).length <= maxCharacters + 100, 'the memory is over the limit');
          assert.equal(messages[0]?.role, 'user');
          assert.deepEqual(
            messages.findLast(({ role }) => role === 'user'),
            turns.at(-1)?.[0],
          );
          const calls = messages.flatMap(({ role, content }) =>
            role === 'assistant' && Array.isArray(content) ? content : [],
          );
          const results = messages.filter(({ role }) => role === 'tool');
          assert.equal(calls.length, results.length);
        },
      ),
      { seed: 4711, numRuns: 300 },
    );
  });

  test('reduces a single oversized turn to its question and answer', () => {
    const messages = parseMemory(
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
    assert.equal(messages.length, 2);
    assert.equal(messages[0]?.content, 'look again');
    assert.match(JSON.stringify(messages[1]), /left out.*\\nseen"/);
  });

  test('of another runtime is empty', () => {
    for (const other of [undefined, null, 'text', { session: 'abc' }, { version: 2, messages: [] }])
      assert.deepEqual(parseMemory(other), []);
  });
});
