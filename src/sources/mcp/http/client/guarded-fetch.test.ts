import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createGuardedFetch, limitEventSize } from './guarded-fetch.ts';

/** Returns the output for a text that arrives in chunks of this size. */
async function limited(text: string, chunkBytes: number, maxBytes: number): Promise<string> {
  const chunks = Array.from({ length: Math.ceil(text.length / chunkBytes) }, (_, index) =>
    Buffer.from(text.slice(index * chunkBytes, (index + 1) * chunkBytes)),
  );
  return (await buffer(Readable.from(chunks).compose(limitEventSize(maxBytes)))).toString();
}

describe('limitEventSize', () => {
  test('passes events on unchanged, with any chunk size and line ending, while none is too large', async () => {
    const line = fc.stringMatching(/^data: [a-z]{0,20}$/);
    const event = fc.array(line, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 5, maxLength: 30 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        async (events, end, chunkBytes) => {
          const text = events.map((lines) => lines.map((each) => each + end).join('') + end).join('');
          // Three lines, and the part of the chunk that belongs to the previous event.
          assert.equal(await limited(text, chunkBytes, 3 * 28 + 4), text);
        },
      ),
      { seed: 7, numRuns: 100 },
    );
  });

  test('fails when an event does not end, in one line or in many', async () => {
    for (const text of ['x'.repeat(3000), 'data: x\n'.repeat(500), `data: a\n\n${'data: x\r\n'.repeat(500)}`])
      for (const chunkBytes of [1, 7, 5000]) await assert.rejects(limited(text, chunkBytes, 1000), /larger than/);
  });
});

test('createGuardedFetch rejects a private host that is not configured, although another private host is', async () => {
  const { fetch, close } = createGuardedFetch(new URL('http://localhost:1/'), 1000);
  await assert.rejects(fetch('http://127.0.0.1:1/'), /must be configured by that address itself/);
  await assert.rejects(fetch('http://localhost:1/'), /ECONNREFUSED/);
  close();
});
