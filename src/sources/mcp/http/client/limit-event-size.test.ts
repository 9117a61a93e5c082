import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { limitEventSize } from './limit-event-size.ts';

/** Returns the output for a text that arrives in chunks of this size. */
async function through(text: string, piece: number, largest: number): Promise<string> {
  const pieces = Array.from({ length: Math.ceil(text.length / piece) }, (_, index) =>
    Buffer.from(text.slice(index * piece, (index + 1) * piece)),
  );
  return (await buffer(Readable.from(pieces).compose(limitEventSize(largest)))).toString();
}

describe('a stream of events', () => {
  test('comes through as it is, in whatever pieces and with whatever ends of lines, as long as no event is too large', async () => {
    const line = fc.stringMatching(/^data: [a-z]{0,20}$/);
    const event = fc.array(line, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 5, maxLength: 30 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        async (events, end, piece) => {
          const text = events.map((lines) => lines.map((each) => each + end).join('') + end).join('');
          // Three lines, and the part of the chunk that belongs to the previous event.
          assert.equal(await through(text, piece, 3 * 28 + 4), text);
        },
      ),
      { seed: 7, numRuns: 100 },
    );
  });

  test('fails when an event has no end, in one line or in many', async () => {
    for (const text of ['x'.repeat(3000), 'data: x\n'.repeat(500), `data: a\n\n${'data: x\r\n'.repeat(500)}`])
      for (const piece of [1, 7, 5000]) await assert.rejects(through(text, piece, 1000), /larger than/);
  });
});
