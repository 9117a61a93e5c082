/** A shop whose assistant uses the shop's own functions. What it wants to change is shown to the customer, who says yes in the shop. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { generateText, isStepCount } from 'ai';
import express from 'express';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { aiSdkSteps } from 'signalbox/ai-sdk';
import * as z from 'zod';
import { scriptedModel } from '../support/scripted-model.ts';

// The application as it was.
const cart = new Map<string, number>();
const put = (article: string, count: number): void => void cart.set(article, count);

// Its tools: the same functions, with what a model must know about them.
const tools = [
  defineTool({ name: 'show', description: 'The cart.', effect: 'read', run: () => Object.fromEntries(cart) }),
  defineTool({
    name: 'put',
    description: 'Puts articles into the cart.',
    input: z.object({ article: z.string(), count: z.int().min(1).max(10) }),
    effect: 'compensable',
    run: ({ article, count }) => put(article, count),
    undo: ({ article }) => cart.delete(article),
  }),
];
const box = await createSignalbox({ servers: [localServer({ name: 'cart', tools })] });
// Questions wait until the application answers them.
box.approvals.attach({ name: 'shop', ask: () => undefined });

// Any model of the AI SDK; this one runs without a key.
const model = scriptedModel([
  { tool: 'mcp__cart__put', input: { article: 'tea', count: 99 } },
  { tool: 'mcp__cart__put', input: { article: 'tea', count: 2 } },
  { text: 'Two packets of tea are in your cart.' },
]);

const app = express().use(express.json());
app.post('/assistant', async (request, response) => {
  const { prompt, customer } = z.object({ prompt: z.string(), customer: z.string() }).parse(request.body);
  const steps = aiSdkSteps(box, { session: customer, principal: { id: `assistant of ${customer}`, kind: 'agent' } });
  const { text } = await generateText({ model, prompt, ...steps, stopWhen: isStepCount(5) });
  response.json({ text });
});
app.get('/questions', async (_request, response) => {
  response.json(await box.approvals.list());
});
app.post('/questions/:id/yes', async (request, response) => {
  await box.approvals.approve(request.params.id, { by: { id: 'ada', kind: 'human' } });
  response.sendStatus(204);
});

const server = app.listen(0);
await once(server, 'listening');
const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const post = (path: string, body: object = {}): Promise<Response> =>
  fetch(shop + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

// The customer asks. 99 packets do not fit the schema and ask nobody; two do, and wait for a yes.
const answer = post('/assistant', { prompt: 'I need tea.', customer: 'ada' });
let questions: { readonly id: string; readonly arguments: unknown }[] = [];
while (questions.length === 0) questions = (await (await fetch(`${shop}/questions`)).json()) as typeof questions;
assert.deepEqual(
  questions.map((question) => question.arguments),
  [{ article: 'tea', count: 2 }],
);
assert.equal(cart.size, 0);
await post(`/questions/${questions[0]?.id}/yes`);
assert.deepEqual(await (await answer).json(), { text: 'Two packets of tea are in your cart.' });
assert.equal(cart.get('tea'), 2);

// And takes it back.
const [bought] = (await box.journal.calls({ session: 'ada', outcome: 'completed' })).items;
assert.ok(bought?.type === 'ToolInvoked');
await box.undo.call(bought.callId);
assert.equal(cart.size, 0);

server.close();
await box.close();
