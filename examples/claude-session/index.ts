/** A program uses a Claude session of `signalbox serve`: it sends a message, receives events, and approves calls. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedClaude } from '../support/scripted-claude.ts';
import { servedSignalbox } from '../support/served-signalbox.ts';

// This is the real Claude Code; only its model is scripted, so that the example needs no key.
const claude = await scriptedClaude([
  { type: 'tool_use', name: 'mcp__shop__refund', input: { order: 'o1', euros: 20 } },
  {
    type: 'tool_use',
    name: 'Write',
    input: { file_path: 'letter.txt', content: 'Dear Ada, your money is on its way.\n' },
  },
]);
const signalbox = await servedSignalbox(
  {
    'shop.ts': `
      import { defineTool } from 'signalbox';
      export const refund = defineTool({
        name: 'refund',
        description: 'Refunds an order.',
        input: { type: 'object', properties: { order: { type: 'string' }, euros: { type: 'number' } } } as const,
        effect: 'irreversible',
        run: ({ order, euros }) => \`refunded \${euros} € for \${order}\`,
      });`,
    'signalbox.config.json': JSON.stringify({
      mcpServers: { shop: { module: './shop.ts' } },
      agents: { claude: { runtime: 'claude', cwd: '.' } },
    }),
  },
  claude.options.env,
);

interface SessionEvent {
  readonly type: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: object;
  readonly outcome?: string;
  readonly reason?: string;
}

/** Streams the events of a session. */
async function* eventsOf(session: string): AsyncGenerator<SessionEvent> {
  const { body } = await signalbox.request(`/api/sessions/${session}/events`);
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? [];
      if (data !== undefined) yield JSON.parse(data) as SessionEvent;
    }
  }
}

const { id } = (await (await signalbox.request('/api/sessions', { agent: 'claude' })).json()) as { id: string };
await signalbox.request(`/api/sessions/${id}/messages`, { content: 'Refund order o1, and write to Ada.' });

const log: string[] = [];
for await (const { type, toolName, toolCallId, input, outcome, reason } of eventsOf(id)) {
  if (type === 'approval_required') {
    log.push(`${toolName} asks: ${Object.keys(input ?? {}).join(', ')}`);
    await signalbox.request(`/api/sessions/${id}/approve`, { toolCallId }); // or …/deny, or in the console
  }
  if (type === 'tool_result') log.push(`… ${outcome}`);
  if (type === 'done') {
    log.push(`done: ${reason}`);
    break;
  }
}
assert.deepEqual(log, [
  'mcp__shop__refund asks: order, euros',
  '… completed',
  'mcp__claude__Write asks: file_path, content',
  '… completed',
  'done: end',
]);
assert.match(await readFile(join(signalbox.directory, 'letter.txt'), 'utf8'), /^Dear Ada/);

// The file that Claude wrote with its built-in tool can be undone; the refund cannot.
const calls = (await (await signalbox.request(`/api/calls?session=${id}`)).json()) as {
  items: { tool: string; callId: string }[];
};
const written = calls.items.find(({ tool }) => tool === 'mcp__claude__Write');
assert.ok(written);
await signalbox.request(`/api/calls/${written.callId}/undo`, {});
await assert.rejects(readFile(join(signalbox.directory, 'letter.txt')));

await signalbox.close();
await claude.close();
console.log('Claude asked before the refund and before it wrote the letter; the letter was undone.');
