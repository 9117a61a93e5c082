import assert from 'node:assert/strict';
import { generateText, isStepCount } from 'ai';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { aiSdkSteps } from 'signalbox/ai-sdk';
import * as z from 'zod';
import { scriptedModel } from '../support/scripted-model.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays somebody.',
  input: z.object({ to: z.string(), euros: z.number() }),
  effect: 'irreversible',
  run: ({ to, euros }) => `Paid ${euros} € to ${to}.`,
});
const box = await createSignalbox({
  servers: [localServer({ name: 'bank', tools: [pay] })],
  approve: ({ arguments: { euros } }) => (Number(euros) < 10 ? { allow: true } : { allow: false, reason: 'too much' }),
});

// Any model of the AI SDK; this one runs without a key.
const model = scriptedModel([
  { tool: 'mcp__bank__pay', input: { to: 'Ada', euros: 5 } },
  { tool: 'mcp__bank__pay', input: { to: 'Bob', euros: 5000 } },
  { text: 'Ada is paid, Bob is not.' },
]);
const { text, steps } = await generateText({
  model,
  prompt: 'Pay them.',
  ...aiSdkSteps(box),
  stopWhen: isStepCount(5),
});

assert.equal(text, 'Ada is paid, Bob is not.');
assert.match(JSON.stringify(steps[0]?.toolResults), /Paid 5 € to Ada/);
assert.deepEqual(
  steps[1]?.content.map(({ type }) => type),
  ['tool-call', 'tool-error'],
);
await box.close();
