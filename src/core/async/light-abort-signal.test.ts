import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LightAbortSignal, toAbortSignal } from './light-abort-signal.ts';

const reason = new Error('stopped');

describe('LightAbortSignal', () => {
  test('calls function and object listeners once and in order, but none that was removed or added after the abort', () => {
    const signal = new LightAbortSignal();
    const calls: string[] = [];
    const removed = (): void => void calls.push('removed');
    signal.addEventListener('abort', () => calls.push(`function, ${signal.aborted}`));
    signal.addEventListener('abort', removed);
    signal.addEventListener('abort', { handleEvent: () => calls.push('object') });
    signal.removeEventListener('abort', removed);
    signal.abort(reason);
    signal.abort(new Error('again'));
    signal.addEventListener('abort', () => calls.push('late'));
    assert.deepEqual(calls, ['function, true', 'object']);
    assert.equal(signal.reason, reason);
  });

  test('provides a native signal, before and after it aborts', () => {
    const signal = new LightAbortSignal();
    const { signal: native } = signal;
    assert.equal(native.aborted, false);
    signal.abort(reason);
    assert.equal(native.aborted, true);
    assert.equal(native.reason, reason);
    const aborted = new LightAbortSignal();
    aborted.abort(reason);
    assert.equal(toAbortSignal(aborted).reason, reason);
  });

  test('toAbortSignal converts any signal to a native one', () => {
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
    const native = toAbortSignal(like);
    controller.abort(reason);
    assert.equal(native.reason, reason);
  });
});
