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

// Without a time limit, because a busy machine is slow: the test runner ends a test that hangs.
const neverAborted = new AbortController().signal;

const handlers: Record<string, () => unknown> = {
  objects: () => {
    const retained: unknown[] = [];
    for (;;) retained.push({ a: Math.random(), b: [1, 2, 3] });
  },
  'large arrays': () => {
    const retained: unknown[] = [];
    for (;;) retained.push(Array(1e7).fill(1.1));
  },
  'an array that doubles': () => {
    let retained = Array(1e6).fill(1.5);
    for (;;) retained = retained.concat(retained);
  },
  buffers: () => {
    const retained: unknown[] = [];
    for (;;) retained.push(Buffer.alloc(1e7, 1));
  },
};
for (const [kind, handler] of Object.entries(handlers)) {
  test(`a handler that exhausts memory with ${kind} fails, and the process survives`, async (t) => {
    const isolate = createIsolate({ tool: 'probe', handler, isolate: true, memoryMb: 64 });
    t.after(() => isolate.close());
    await assert.rejects(isolate.run({}, contextWith(neverAborted)), /"probe" ran out of memory: .* 64 MB/);
  });
}

test('a handler that only creates garbage is not killed', async (t) => {
  const handler = (): number => {
    let allocatedMb = 0;
    for (; allocatedMb < 2000; allocatedMb += 8) Array(1e6).fill(1.1);
    return allocatedMb;
  };
  const isolate = createIsolate({ tool: 'probe', handler, isolate: true, memoryMb: 64 });
  t.after(() => isolate.close());
  assert.equal(await isolate.run({}, contextWith(neverAborted)), 2000);
});
