import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type StreamMessage, streamMessages } from '../../console/src/live/stream-messages.ts';
import { toEventFrame } from '../../src/server/streams/event-streams.ts';

/** Parses a text whose bytes arrive in chunks of these sizes. */
async function parse(text: string, sizes: readonly number[] = []): Promise<StreamMessage[]> {
  const bytes = new TextEncoder().encode(text);
  let offset = 0;
  let chunk = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      const size = sizes[chunk++ % Math.max(1, sizes.length)] ?? bytes.length;
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
    },
  });
  const messages: StreamMessage[] = [];
  for await (const message of streamMessages(body)) messages.push(message);
  return messages;
}

describe('messages of an event stream', () => {
  it('are the same for any chunks of the bytes', async () => {
    const message = fc.record(
      { id: fc.nat(), event: fc.constantFrom('journal', 'ready', 'error'), data: fc.object() },
      { requiredKeys: ['event', 'data'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message), fc.array(fc.integer({ min: 1, max: 9 })), async (messages, sizes) => {
        let lastId: string | undefined;
        const expected = messages.map(({ id, event, data }) => {
          lastId = id === undefined ? lastId : String(id);
          return { event, data: JSON.stringify(data), lastId };
        });
        const frames = messages.map((each) => toEventFrame(each as Parameters<typeof toEventFrame>[0]));
        assert.deepEqual(await parse(frames.join(':\n\n'), sizes), expected);
      }),
    );
  });

  it('have the last id that was received; an incomplete message is omitted', async () => {
    const text = 'retry: 2000\nid: 7\n\n:\n\nevent: ready\ndata: {}\n\nid: 8\nevent: journal\ndata: {"a"';
    assert.deepEqual(await parse(text), [{ event: 'ready', data: '{}', lastId: '7' }]);
  });
});
