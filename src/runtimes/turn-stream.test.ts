import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TurnEvent } from './runtime.ts';
import { turnStream } from './turn-stream.ts';

const text = (value: string): TurnEvent => ({ type: 'text_delta', text: value });
const neverAborted = new AbortController().signal;

describe('turnStream', () => {
  test('yields events in the order they were emitted, to a slow reader', async () => {
    const stream = turnStream(neverAborted, async (emit) => {
      emit(text('1'));
      emit(text('2'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      emit(text('3'));
    });
    const seen: string[] = [];
    for await (const event of stream) {
      if (event.type === 'text_delta') seen.push(event.text);
      if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(seen, ['1', '2', '3']);
  });

  test('loses no event, after any number of microtasks', async () => {
    for (let microtasks = 0; microtasks < 12; microtasks += 1) {
      const stream = turnStream(neverAborted, async (emit) => {
        for (let turn = 0; turn < microtasks; turn += 1) await Promise.resolve();
        emit({ type: 'done', reason: 'end' });
      });
      const seen: string[] = [];
      for await (const event of stream) seen.push(event.type);
      assert.deepEqual(seen, ['done'], `after ${microtasks} microtasks`);
    }
  });

  test('aborts the driver when the reader stops', async () => {
    let stopped = false;
    const stream = turnStream(neverAborted, async (emit, signal) => {
      emit(text('1'));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      stopped = true;
    });
    for await (const _ of stream) break;
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(stopped);
  });

  test('throws the error of the driver after its events', async () => {
    const seen: string[] = [];
    const stream = turnStream(neverAborted, (emit) => {
      emit(text('1'));
      return Promise.reject(new Error('driver failure'));
    });
    await assert.rejects(async () => {
      for await (const event of stream) seen.push(event.type);
    }, /driver failure/);
    assert.deepEqual(seen, ['text_delta']);
  });
});
