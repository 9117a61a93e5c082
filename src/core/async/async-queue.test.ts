import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runSeed } from '../../../test/support/seeded.ts';
import { AsyncQueue } from './async-queue.ts';

/** The pause before a step of the writer or the reader, in microtasks and turns of the event loop. */
const pause = fc.record({ microtasks: fc.nat({ max: 6 }), turns: fc.nat({ max: 2 }) });
type Pause = { readonly microtasks: number; readonly turns: number };

async function wait({ microtasks, turns }: Pause): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  for (let microtask = 0; microtask < microtasks; microtask += 1) await Promise.resolve();
}

describe('AsyncQueue', () => {
  test('delivers every value once and in order, in any interleaving of writer and reader', async () => {
    const scenario = fc.record({
      writes: fc.array(pause, { maxLength: 12 }),
      reads: fc.array(pause, { maxLength: 12 }),
      beforeEnd: pause,
      fails: fc.boolean(),
      inBatches: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ writes, reads, beforeEnd, fails, inBatches }) => {
        const queue = new AsyncQueue<number>();
        const write = async (): Promise<void> => {
          for (const [index, before] of writes.entries()) {
            await wait(before);
            queue.push(index);
          }
          await wait(beforeEnd);
          if (fails) queue.fail(new Error('the end'));
          else queue.end();
        };
        const received: number[] = [];
        let error: unknown;
        const read = async (): Promise<void> => {
          let step = 0;
          const next = (): Promise<void> => wait(reads[step++] ?? { microtasks: 0, turns: 0 });
          try {
            if (inBatches) {
              for await (const batch of queue.batches()) {
                assert.ok(batch.length > 0);
                received.push(...batch);
                await next();
              }
            } else {
              for await (const value of queue) {
                received.push(value);
                await next();
              }
            }
          } catch (caught) {
            error = caught;
          }
        };
        await Promise.all([write(), read()]);
        assert.deepEqual(received, [...writes.keys()]);
        assert.equal(error instanceof Error, fails);
      }),
      { numRuns: 400, seed: runSeed },
    );
  });

  test('ignores values and ends after its first end', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.end();
    queue.fail(new Error('too late'));
    queue.push(2);
    const received: number[] = [];
    for await (const value of queue) received.push(value);
    assert.deepEqual(received, [1]);
  });
});
