import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StartQueue } from './start-queue.ts';

/** Queues the starts of several programs. `end` ends the start of one. */
function queueStarts(queue: StartQueue, count: number): { started: number[]; end(index: number): Promise<void> } {
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  for (const [index, { promise }] of ends.entries()) void queue.waitForSlot(promise).then(() => started.push(index));
  return {
    started,
    async end(index) {
      ends[index]?.resolve();
      await turn();
    },
  };
}

describe('StartQueue', () => {
  test('limits concurrent starts, and starts the next program when a start has ended', async () => {
    const { started, end } = queueStarts(new StartQueue({ concurrency: 2 }, 8), 5);
    await turn();
    assert.deepEqual(started, [0, 1]);
    await end(1);
    assert.deepEqual(started, [0, 1, 2]);
    await end(0);
    await end(2);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  test('does not wait for a start that never ends', async () => {
    const { started } = queueStarts(new StartQueue({ concurrency: 1, holdMs: 1 }, 8), 3);
    while (started.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.deepEqual(started, [0, 1, 2]);
  });

  test('leaves one processor to this process until it is widened', async () => {
    const queue = new StartQueue({ concurrency: 4 }, 2);
    const { started, end } = queueStarts(queue, 6);
    await turn();
    assert.deepEqual(started, [0]);
    queue.widen();
    await turn();
    assert.deepEqual(started, [0, 1, 2, 3]);
    await end(2);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });
});
