import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignalbox, defineTool, localServer } from '../../index.ts';

test('an isolated handler in an infinite loop is timed out by the pipeline; other calls continue', async () => {
  const loop = defineTool({
    name: 'loop',
    description: 'Never ends.',
    input: { type: 'object' },
    effect: 'read',
    isolate: true,
    timeoutMs: 300,
    run: () => {
      for (;;);
    },
  });
  const sum = defineTool({
    name: 'sum',
    description: 'Adds up to a number.',
    input: { type: 'object', properties: { to: { type: 'number' } }, required: ['to'] },
    effect: 'read',
    isolate: true,
    run: ({ to }) => Array.from({ length: to }, (_, index) => index + 1).reduce((total, each) => total + each, 0),
  });
  const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [loop, sum] })] });
  const looping = box.call('mcp__t__loop');
  assert.equal((await box.call('mcp__signalbox__ping')).outcome, 'completed');
  assert.equal((await box.call('mcp__t__sum', { to: 100 })).structuredContent, 5050);
  const result = await looping;
  assert.deepEqual([result.outcome, result.error?.code], ['timed-out', 'deadline-exceeded']);
  assert.equal((await box.call('mcp__t__loop', {}, { deadline: Date.now() + 200 })).outcome, 'timed-out');
  await box.close();
});
