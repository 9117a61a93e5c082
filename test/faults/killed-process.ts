/** Makes calls without end until it is killed, and tells of each one that was acknowledged. Run by `kill-loop.test.ts`. */
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';

const [, , data = ''] = process.argv;

const look = defineTool({
  name: 'look',
  description: 'Reads.',
  input: { type: 'object' },
  effect: 'read',
  run: () => 'seen',
});
const slowLook = defineTool({
  name: 'slow_look',
  description: 'Reads slowly.',
  input: { type: 'object' },
  effect: 'read',
  run: () => new Promise((resolve) => setTimeout(resolve, 3, 'seen')),
});
const act = defineTool({
  name: 'act',
  description: 'Leaves a trace outside.',
  input: { type: 'object' },
  effect: 'irreversible',
  async run(_, { callId }) {
    appendFileSync(join(data, 'effects'), `${callId}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    return 'done';
  },
});

const box = await createSignalbox({
  data,
  servers: [localServer({ name: 't', tools: [look, slowLook, act] })],
  approve: () => ({ allow: true }),
});

async function callForEver(tool: string): Promise<never> {
  for (;;) {
    const { callId, outcome } = await box.call(tool, {});
    writeSync(1, `${callId} ${outcome}\n`);
  }
}
await Promise.all(
  ['mcp__t__look', 'mcp__t__slow_look', 'mcp__t__act', 'mcp__t__act', 'mcp__t__act', 'mcp__t__act'].map(callForEver),
);
