import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StartQueue } from './start-queue.ts';

/** Programs that start one after the other in a queue; `end` ends the start of one. */
function programs(queue: StartQueue, count: number): { started: number[]; end(index: number): Promise<void> } {
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  for (const [index, { promise }] of ends.entries()) void queue.turn(promise).then(() => started.push(index));
  return {
    started,
    async end(index) {
      ends[index]?.resolve();
      await turn();
    },
  };
}

describe('the queue of starting programs', () => {
  test('lets so many start at the same time, and the next one when one of them has ended its start', async () => {
    const { started, end } = programs(new StartQueue({ concurrency: 2 }, 8), 5);
    await turn();
    assert.deepEqual(started, [0, 1]);
    await end(1);
    assert.deepEqual(started, [0, 1, 2]);
    await end(0);
    await end(2);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  test('does not wait for a program that never ends its start', async () => {
    const { started } = programs(new StartQueue({ concurrency: 1, holdMs: 1 }, 8), 3);
    while (started.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.deepEqual(started, [0, 1, 2]);
  });

  test('leaves one processor to this process until it answers', async () => {
    const queue = new StartQueue({ concurrency: 4 }, 2);
    const { started, end } = programs(queue, 6);
    await turn();
    assert.deepEqual(started, [0]);
    queue.widen();
    await turn();
    assert.deepEqual(started, [0, 1, 2, 3]);
    await end(2);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });
});
