/** A shop whose assistant uses the functions of the shop as tools. The customer approves changes in the shop. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { generateText, isStepCount } from 'ai';
import express from 'express';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { aiSdkSteps } from 'signalbox/ai-sdk';
import * as z from 'zod';
import { scriptedModel } from '../support/scripted-model.ts';

// The existing application.
const cart = new Map<string, number>();
const put = (article: string, count: number): void => void cart.set(article, count);

// Its tools: the same functions, with descriptions and schemas for a model.
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
// Calls that ask wait until the application approves them.
box.approvals.attach({ name: 'shop', ask: () => undefined });

// Use any model of the AI SDK; this scripted one needs no key.
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
app.get('/approvals', async (_request, response) => {
  response.json(await box.approvals.list());
});
app.post('/approvals/:id/approve', async (request, response) => {
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

// The customer sends a request. 99 packets do not match the schema, so this call fails; the call with two packets waits for approval.
const answer = post('/assistant', { prompt: 'I need tea.', customer: 'ada' });
let pending: { readonly id: string; readonly arguments: unknown }[] = [];
while (pending.length === 0) pending = (await (await fetch(`${shop}/approvals`)).json()) as typeof pending;
assert.deepEqual(
  pending.map((approval) => approval.arguments),
  [{ article: 'tea', count: 2 }],
);
assert.equal(cart.size, 0);
await post(`/approvals/${pending[0]?.id}/approve`);
assert.deepEqual(await (await answer).json(), { text: 'Two packets of tea are in your cart.' });
assert.equal(cart.get('tea'), 2);

// The customer undoes the call.
const [bought] = (await box.journal.calls({ session: 'ada', outcome: 'completed' })).items;
assert.ok(bought?.type === 'ToolInvoked');
await box.undo.call(bought.callId);
assert.equal(cart.size, 0);

server.close();
await box.close();
console.log('The purchase waited in the shop for its approval, and was undone afterwards.');
