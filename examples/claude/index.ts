import assert from 'node:assert/strict';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { claudeAgentOptions } from 'signalbox/claude';
import * as z from 'zod';
import { scriptedClaude } from '../support/scripted-claude.ts';

const deploy = defineTool({
  name: 'deploy',
  description: 'Puts a version into service.',
  input: z.object({ version: z.string() }),
  effect: 'irreversible',
  run: ({ version }) => `${version} is live`,
});
const box = await createSignalbox({
  servers: [localServer({ name: 'ops', tools: [deploy] })],
  approve: ({ arguments: { version } }) => ({ allow: version === '1.0.1' }),
});

// This is the real Claude CLI; only its model is scripted, so that the example needs no key.
const claude = await scriptedClaude([
  { type: 'tool_use', name: 'mcp__ops__deploy', input: { version: '1.0.1' } },
  { type: 'tool_use', name: 'mcp__ops__deploy', input: { version: '2.0.0' } },
]);
const options = { ...claude.options, ...claudeAgentOptions(box) }; // create them for every query
for await (const message of query({ prompt: claude.prompt('Deploy both.'), options })) claude.onMessage(message);

const outcomes = (await box.journal.calls()).items.map((entry) => entry.type === 'ToolInvoked' && entry.outcome);
assert.deepEqual(new Set(outcomes), new Set(['completed', 'denied']));
await claude.close();
await box.close();
console.log('Claude deployed 1.0.1; the deployment of 2.0.0 was denied.');
