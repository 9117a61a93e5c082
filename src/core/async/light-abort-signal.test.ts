import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LightAbortSignal, toAbortSignal } from './light-abort-signal.ts';

const reason = new Error('enough');

describe('a stop', () => {
  test('tells functions and objects once, in the order they came, and nobody who left or came too late', () => {
    const stop = new LightAbortSignal();
    const told: string[] = [];
    const leaving = (): void => void told.push('leaving');
    stop.addEventListener('abort', () => told.push(`function, ${stop.aborted}`));
    stop.addEventListener('abort', leaving);
    stop.addEventListener('abort', { handleEvent: () => told.push('object') });
    stop.removeEventListener('abort', leaving);
    stop.abort(reason);
    stop.abort(new Error('again'));
    stop.addEventListener('abort', () => told.push('late'));
    assert.deepEqual(told, ['function, true', 'object']);
    assert.equal(stop.reason, reason);
  });

  test('becomes a real signal for whoever needs one, before it happens and after', () => {
    const stop = new LightAbortSignal();
    const { signal } = stop;
    assert.equal(signal.aborted, false);
    stop.abort(reason);
    assert.equal(signal.aborted, true);
    assert.equal(signal.reason, reason);
    const over = new LightAbortSignal();
    over.abort(reason);
    assert.equal(toAbortSignal(over).reason, reason);
  });

  test('any signal becomes a real one', () => {
    const controller = new AbortController();
    assert.equal(toAbortSignal(controller.signal), controller.signal);
    const { signal } = controller;
    const like = {
      get aborted() {
        return signal.aborted;
      },
      get reason(): unknown {
        return signal.reason;
      },
      addEventListener: (_type: 'abort', listener: Parameters<LightAbortSignal['addEventListener']>[1]) =>
        signal.addEventListener('abort', listener),
      removeEventListener: () => undefined,
    };
    const real = toAbortSignal(like);
    controller.abort(reason);
    assert.equal(real.reason, reason);
  });
});
