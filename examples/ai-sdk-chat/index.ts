/** A streaming chat with a model of the AI SDK. Payments need approval, and a budget limits them. */
import assert from 'node:assert/strict';
import { type ModelMessage, isStepCount, streamText } from 'ai';
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
  policies: [{ id: 'a-day', budget: { match: 'mcp__bank__pay', each: 'args.euros', cost: 100, per: '1d' } }],
  approve: ({ arguments: { euros } }) => ({ allow: Number(euros) <= 80, reason: 'too much' }), // in your app: a dialog
});

// Use any model of the AI SDK; this scripted one needs no key.
const model = scriptedModel([
  { tool: 'mcp__bank__pay', input: { to: 'Ada', euros: 80 } },
  { text: 'Ada is paid.' },
  { tool: 'mcp__bank__pay', input: { to: 'Bob', euros: 30 } },
  { text: 'Not today: you have paid 80 of 100 €.' },
]);

const messages: ModelMessage[] = [];
async function send(content: string): Promise<string> {
  messages.push({ role: 'user', content });
  const steps = aiSdkSteps(box, { session: 'chat-1' }); // rules use the history of the session
  const result = streamText({ model, messages, ...steps, stopWhen: isStepCount(5) });
  let text = '';
  for await (const delta of result.textStream) text += delta; // in your app: stream it to the browser
  messages.push(...(await result.responseMessages));
  return text;
}

assert.equal(await send('Pay Ada 80 €.'), 'Ada is paid.');
assert.equal(await send('And Bob 30.'), 'Not today: you have paid 80 of 100 €.');

const results = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []));
assert.deepEqual(
  results.map((result) => result.type === 'tool-result' && result.output.type),
  ['text', 'error-text'],
);
const calls = (await box.journal.calls({ session: 'chat-1', order: 'oldest-first' })).items;
assert.deepEqual(
  calls.map((call) => call.type === 'ToolInvoked' && [call.outcome, call.decision?.rule]),
  [
    ['completed', 'default:irreversible'],
    ['denied', 'a-day'],
  ],
);
await box.close();
console.log('The first payment was approved; the second was denied by the rule "a-day", and the model said so.');
