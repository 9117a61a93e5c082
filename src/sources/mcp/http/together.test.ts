import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { together } from './together.ts';

describe('what is done together', () => {
  test('is done at the end of the turn, in order, with no tick or promise between', async () => {
    const done: string[] = [];
    for (const name of ['one', 'two', 'three'])
      together(() => {
        done.push(name);
        process.nextTick(() => done.push(`tick after ${name}`));
        void Promise.resolve().then(() => done.push(`promise after ${name}`));
      });
    assert.deepEqual(done, []);
    await nextTurn();
    assert.deepEqual(done.slice(0, 3), ['one', 'two', 'three']);
    assert.equal(done.length, 9);
  });

  test('can bring up more, which the next turn does', async () => {
    const done: string[] = [];
    together(() => {
      done.push('first');
      together(() => done.push('second'));
    });
    await nextTurn();
    assert.deepEqual(done, ['first']);
    await nextTurn();
    assert.deepEqual(done, ['first', 'second']);
  });
});
