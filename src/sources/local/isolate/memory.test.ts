import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { newCallId } from '../../../core/identifiers.ts';
import { createIsolate } from './isolate.ts';

function contextWith(signal: AbortSignal): ToolContext {
  return {
    callId: newCallId(),
    session: undefined,
    principal: { id: 'anna', kind: 'human' },
    signal,
    deadline: Number.POSITIVE_INFINITY,
    progress() {},
    state: { get: () => undefined, set() {}, delete() {}, keys: () => [] },
  };
}

// No time limit of its own, because a busy machine is slow: the test runner ends a test that hangs.
const neverAborted = new AbortController().signal;

const hogs: Record<string, () => unknown> = {
  objects: () => {
    const kept: unknown[] = [];
    for (;;) kept.push({ a: Math.random(), b: [1, 2, 3] });
  },
  'large arrays': () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Array(1e7).fill(1.1));
  },
  'an array that doubles': () => {
    let kept = Array(1e6).fill(1.5);
    for (;;) kept = kept.concat(kept);
  },
  buffers: () => {
    const kept: unknown[] = [];
    for (;;) kept.push(Buffer.alloc(1e7, 1));
  },
};
for (const [hog, handler] of Object.entries(hogs)) {
  test(`A6: a handler that hogs memory with ${hog} fails, and the process lives`, async (t) => {
    const isolate = createIsolate({ tool: 'probe', handler, isolate: true, memoryMb: 64 });
    t.after(() => isolate.close());
    await assert.rejects(isolate.run({}, contextWith(neverAborted)), /"probe" ran out of memory: .* 64 MB/);
  });
}

test('a handler that only makes garbage is not taken for a hog', async (t) => {
  const handler = (): number => {
    let madeMb = 0;
    for (; madeMb < 2000; madeMb += 8) Array(1e6).fill(1.1);
    return madeMb;
  };
  const isolate = createIsolate({ tool: 'probe', handler, isolate: true, memoryMb: 64 });
  t.after(() => isolate.close());
  assert.equal(await isolate.run({}, contextWith(neverAborted)), 2000);
});
