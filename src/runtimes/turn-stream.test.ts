import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TurnEvent } from './runtime.ts';
import { turnStream } from './turn-stream.ts';

const text = (value: string): TurnEvent => ({ type: 'text_delta', text: value });
const forever = new AbortController().signal;

test('events come in the order they were told, whenever they are read', async () => {
  const stream = turnStream(forever, async (tell) => {
    tell(text('1'));
    tell(text('2'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    tell(text('3'));
  });
  const seen: string[] = [];
  for await (const event of stream) {
    if (event.type === 'text_delta') seen.push(event.text);
    if (seen.length === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(seen, ['1', '2', '3']);
});

test('no event is lost, however many microtasks pass before it is told', async () => {
  for (let microtasks = 0; microtasks < 12; microtasks += 1) {
    const stream = turnStream(forever, async (tell) => {
      for (let turn = 0; turn < microtasks; turn += 1) await Promise.resolve();
      tell({ type: 'done', reason: 'end' });
    });
    const seen: string[] = [];
    for await (const event of stream) seen.push(event.type);
    assert.deepEqual(seen, ['done'], `after ${microtasks} microtasks`);
  }
});

test('whoever stops reading stops the driver', async () => {
  let stopped = false;
  const stream = turnStream(forever, async (tell, signal) => {
    tell(text('1'));
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped = true;
  });
  for await (const _ of stream) break;
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(stopped);
});

test('what a driver throws reaches the reader after everything it told', async () => {
  const seen: string[] = [];
  const stream = turnStream(forever, (tell) => {
    tell(text('1'));
    return Promise.reject(new Error('a fault of the driver'));
  });
  await assert.rejects(async () => {
    for await (const event of stream) seen.push(event.type);
  }, /a fault of the driver/);
  assert.deepEqual(seen, ['text_delta']);
});
