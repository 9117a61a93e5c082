/** A test of an agent that needs no network: the servers are replayed from a recording, and the model is scripted. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, isStepCount } from 'ai';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { aiSdkSteps } from 'signalbox/ai-sdk';
import { record, replay } from 'signalbox/testing';
import * as z from 'zod';
import { scriptedModel } from '../support/scripted-model.ts';

const directory = await mkdtemp(join(tmpdir(), 'signalbox-recordings-'));
const recording = join(directory, 'tickets.jsonl'); // in a repository: test/recordings/tickets.jsonl, committed

// Once, by hand, with the real server; secrets are removed from the recording.
const tickets = localServer({
  name: 'tickets',
  tools: [
    defineTool({
      name: 'open',
      description: 'The tickets that are open.',
      effect: 'read',
      run: () => [{ id: 7, title: 'The export is empty' }],
    }),
    defineTool({
      name: 'close',
      description: 'Closes a ticket.',
      input: z.object({ id: z.number() }),
      effect: 'irreversible',
      run: ({ id }) => `closed ${id}`,
    }),
  ],
});
const real = await createSignalbox({ servers: [record(tickets, recording)] });
await real.call('mcp__tickets__open');
await real.close();

// In each CI run: the rules of the agent decide, and no ticket is closed.
const box = await createSignalbox({
  servers: [replay(recording)],
  policies: [{ id: 'humans-close', match: 'mcp__tickets__close', deny: true, reason: 'only humans close tickets' }],
});
const model = scriptedModel([
  { tool: 'mcp__tickets__open', input: {} },
  { tool: 'mcp__tickets__close', input: { id: 7 } },
  { text: 'Ticket 7 is open; somebody has to close it.' },
]);
const { text } = await generateText({ model, prompt: 'Tidy up.', ...aiSdkSteps(box), stopWhen: isStepCount(5) });

assert.match(text, /somebody has to close it/);
const calls = (await box.journal.calls({ order: 'oldest-first' })).items;
assert.deepEqual(
  calls.map((call) => call.type === 'ToolInvoked' && [call.tool, call.outcome, call.decision?.rule]),
  [
    ['mcp__tickets__open', 'completed', 'default:read'],
    ['mcp__tickets__close', 'denied', 'humans-close'],
  ],
);
await box.close();
await rm(directory, { recursive: true });
console.log('The recorded server answered without a network, and the rule kept the agent from closing the ticket.');
