/** An agent uses the reference file server: reads run, writes have checkpoints, and moving files is hidden. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generateText, isStepCount } from 'ai';
import { createSignalbox, mcpServer, transformServer } from 'signalbox';
import { aiSdkSteps } from 'signalbox/ai-sdk';
import { scriptedModel } from '../support/scripted-model.ts';

const directory = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-files-')));
const todo = join(directory, 'todo.txt');
await writeFile(todo, '- buy milk\n');

// Your transport: { type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', directory] }
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
const server = mcpServer({
  name: 'files',
  transport: { type: 'stdio', command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), directory] },
  workspace: [directory],
});
const writes = new Set(['write_file', 'edit_file', 'create_directory']);
const files = transformServer(server, (tool) => {
  if (tool.tool === 'move_file') return { hidden: 'files must not be moved' };
  return writes.has(tool.tool) ? { ...tool, effect: 'undoable' } : tool;
});

const box = await createSignalbox({
  servers: [files],
  policies: [
    {
      id: 'read-first',
      readBeforeWrite: { read: ['mcp__files__read_text_file'], write: ['mcp__files__write_file'], path: 'path' },
    },
    { id: 'edits', match: 'mcp__files__*', allow: "tool.effect == 'undoable'" },
  ],
});
await server.ready();

const content = '- buy milk\n- call Grace\n';
const model = scriptedModel([
  { tool: 'mcp__files__write_file', input: { path: todo, content } },
  { tool: 'mcp__files__read_text_file', input: { path: todo } },
  { tool: 'mcp__files__write_file', input: { path: todo, content } },
  { tool: 'mcp__files__move_file', input: { source: todo, destination: join(directory, 'gone.txt') } },
  { text: 'Grace is on the list.' },
]);
await generateText({
  model,
  prompt: 'Put Grace on my list.',
  ...aiSdkSteps(box, { session: 'list' }),
  stopWhen: isStepCount(9),
});

const calls = (await box.journal.calls({ session: 'list', order: 'oldest-first' })).items.filter(
  (entry) => entry.type === 'ToolInvoked',
);
assert.deepEqual(
  calls.map(({ tool, outcome, error, decision }) => [tool.slice(12), outcome, error?.code ?? decision?.rule]),
  [
    ['write_file', 'denied', 'policy-denied'], // not read yet: the model reads it and repeats the call
    ['read_text_file', 'completed', 'default:read'],
    ['write_file', 'completed', 'edits'],
  ],
);
assert.equal(await readFile(todo, 'utf8'), content);
assert.ok(!box.tools().some(({ name }) => name === 'mcp__files__move_file')); // so the AI SDK refused the call

const [, , written] = calls;
assert.ok(written);
assert.equal((await box.undo.call(written.callId)).outcome, 'undone');
assert.equal(await readFile(todo, 'utf8'), '- buy milk\n');

await box.close();
await rm(directory, { recursive: true });
console.log('The write before a read was denied, the repeated write was undone, and move_file was never offered.');
