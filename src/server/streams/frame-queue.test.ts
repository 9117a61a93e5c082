import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameQueue } from './frame-queue.ts';

async function framesOf(queue: FrameQueue): Promise<string[]> {
  const frames: string[] = [];
  for await (const frame of queue) frames.push(frame);
  return frames;
}

describe('FrameQueue', () => {
  it('yields frames in order, joined when several are queued', async () => {
    const end = new AbortController();
    const queue = new FrameQueue(100, end.signal);
    queue.push('a');
    queue.push('b');
    const reading = framesOf(queue);
    await new Promise((resolve) => setImmediate(resolve));
    queue.push('c');
    await new Promise((resolve) => setImmediate(resolve));
    end.abort();
    assert.deepEqual(await reading, ['ab', 'c']);
  });

  it('ends before the first frame that exceeds the limit, so that no frame after a gap is sent', async () => {
    const queue = new FrameQueue(10, new AbortController().signal);
    for (const frame of ['aaaa', 'bbbb', 'cccc', 'd']) queue.push(frame);
    assert.deepEqual(await framesOf(queue), ['aaaabbbb']);
  });

  it('accepts a frame of any size when it is empty', async () => {
    const end = new AbortController();
    const queue = new FrameQueue(3, end.signal);
    const frames = queue[Symbol.asyncIterator]();
    for (const frame of ['one', 'another']) {
      queue.push(frame);
      assert.equal((await frames.next()).value, frame);
    }
  });

  it('fails after the queued frames', async () => {
    const queue = new FrameQueue(10, new AbortController().signal);
    queue.push('a');
    queue.fail(new Error('the journal failed'));
    const frames = queue[Symbol.asyncIterator]();
    assert.equal((await frames.next()).value, 'a');
    await assert.rejects(frames.next(), /the journal failed/);
  });
});
