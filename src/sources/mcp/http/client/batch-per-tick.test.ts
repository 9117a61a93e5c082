import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { atEndOfTick, batchPerTick } from './batch-per-tick.ts';

describe('what is done together', () => {
  test('is done at the end of the turn, in order, with no tick or promise between', async () => {
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

  test('can bring up more, which the next turn does', async () => {
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

describe('what is done before the next turn', () => {
  test('waits for the end of this one, each in its own context', async () => {
    const context = new AsyncLocalStorage<string>();
    const done: unknown[] = [];
    for (const name of ['one', 'two']) context.run(name, () => atEndOfTick(() => done.push(context.getStore())));
    assert.deepEqual(done, []);
    await nextTurn();
    assert.deepEqual(done, ['one', 'two']);
  });

  test('is done at once when it follows from what was done at the end, and waits again after that', async () => {
    const done: string[] = [];
    batchPerTick(() => {
      void (async () => {
        await Promise.resolve();
        process.nextTick(() => {
          atEndOfTick(() => done.push('follows'));
          done.push('after');
        });
      })();
    });
    await nextTurn();
    assert.deepEqual(done, ['follows', 'after']);
    await nextTurn();
    atEndOfTick(() => done.push('waits'));
    assert.deepEqual(done, ['follows', 'after']);
    await nextTurn();
    assert.deepEqual(done, ['follows', 'after', 'waits']);
  });
});
