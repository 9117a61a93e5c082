/** Claude Code uses the tools of several servers through one endpoint. A human approves calls that ask. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { claudeProgram, scriptedClaude } from '../support/scripted-claude.ts';
import { servedSignalbox } from '../support/served-signalbox.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json');
const memory = join(dirname(manifest), 'dist', 'index.js');
const signalbox = await servedSignalbox({
  'notes.ts': `
    import { defineTool } from 'signalbox';
    const notes = [];
    export const add = defineTool({
      name: 'add',
      description: 'Adds a note.',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      effect: 'irreversible',
      run: ({ text }) => 'note ' + notes.push(text),
    });`,
  'policies.yaml': `
    - id: no-shouting
      match: mcp__notes__add
      deny: args.text == args.text.upperAscii()
      reason: please do not shout`,
  'signalbox.config.json': JSON.stringify({
    mcpServers: {
      notes: { module: './notes.ts' },
      memory: { command: process.execPath, args: [memory] }, // { npm: '@modelcontextprotocol/server-memory@2026.8.31' }
    },
    profiles: { assistant: { servers: ['notes', 'memory'], tools: ['!delete_*'] } },
    policies: 'policies.yaml',
  }),
});

// The entry that `claude mcp add --transport http signalbox URL --header …` writes.
const agentToken = await readFile(join(signalbox.directory, '.signalbox', 'agent-token'), 'utf8');
const mcpConfig = {
  mcpServers: {
    signalbox: {
      type: 'http',
      url: `${signalbox.url}/mcp/assistant`,
      headers: { Authorization: `Bearer ${agentToken.trim()}` },
      alwaysLoad: true, // loads all tools; by default, Claude Code searches for them
    },
  },
};

// This is the real Claude Code; only its model is scripted, so that the example needs no key.
const claude = await scriptedClaude([
  { type: 'tool_use', name: 'mcp__signalbox__mcp__notes__add', input: { text: 'BUY MILK' } },
  { type: 'tool_use', name: 'mcp__signalbox__mcp__notes__add', input: { text: 'buy milk' } },
]);
const running = promisify(execFile)(
  claudeProgram(),
  [
    '--print',
    'Note the milk.',
    '--mcp-config',
    JSON.stringify(mcpConfig),
    '--strict-mcp-config',
    '--allowedTools=mcp__signalbox',
  ],
  { cwd: signalbox.directory, env: claude.options.env },
);
running.child.stdin?.end();

// Meanwhile, a human sees the call in the inbox and approves it.
let waiting: readonly { readonly id: string }[] = [];
while (waiting.length === 0)
  waiting = ((await (await signalbox.request('/api/approvals')).json()) as { items: typeof waiting }).items;
await signalbox.run('approve', waiting[0]?.id ?? '');
assert.equal((await running).stdout.trim(), 'Done.');

const journal = JSON.parse(await signalbox.run('journal', '--json')) as {
  items: { type: string; tool?: string; outcome?: string; decision?: { rule: string } }[];
};
assert.deepEqual(
  new Set(
    journal.items.flatMap(({ tool, outcome, decision }) => (outcome ? [`${tool} ${outcome} ${decision?.rule}`] : [])),
  ),
  new Set(['mcp__notes__add denied no-shouting', 'mcp__notes__add completed default:irreversible']),
);
assert.ok(claude.offeredTools().includes('mcp__signalbox__mcp__memory__read_graph'));
assert.ok(!claude.offeredTools().includes('mcp__signalbox__mcp__memory__delete_entities'));

await claude.close();
await signalbox.close();
console.log('Claude Code called tools through the gateway: one call was denied by a rule, one approved by a human.');
