import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batchPerTick } from './batch-per-tick.ts';

describe('batchPerTick', () => {
  test('runs work at the end of the turn, in order, before any tick or promise of that work', async () => {
    const done: string[] = [];
    for (const name of ['one', 'two', 'three'])
      batchPerTick(() => {
        done.push(name);
        process.nextTick(() => done.push(`tick after ${name}`));
        void Promise.resolve().then(() => done.push(`promise after ${name}`));
      });
    assert.deepEqual(done, []);
    await nextTurn();
    assert.deepEqual(done.slice(0, 3), ['one', 'two', 'three']);
    assert.equal(done.length, 9);
  });

  test('runs work that a batch adds in the next turn', async () => {
    const done: string[] = [];
    batchPerTick(() => {
      done.push('first');
      batchPerTick(() => done.push('second'));
    });
    await nextTurn();
    assert.deepEqual(done, ['first']);
    await nextTurn();
    assert.deepEqual(done, ['first', 'second']);
  });
});
