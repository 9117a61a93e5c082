/**
 * An agent works on a project. Its edit asks for approval, is approved with a corrected argument, runs, has a diff and is undone. Its
 * deploy is denied until the tests have passed, and private data that it read cannot be posted.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createSignalbox, defineTool, localServer, mcpServer, transformServer } from 'signalbox';
import * as z from 'zod';

const project = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-story-')));
const data = await mkdtemp(join(tmpdir(), 'signalbox-data-'));
await writeFile(join(project, 'greeting.mjs'), "export const greeting = 'Hello';\n");
await writeFile(
  join(project, 'greeting.test.mjs'),
  "import assert from 'node:assert/strict';\nimport { greeting } from './greeting.mjs';\nassert.equal(greeting, 'Good morning');\n",
);
await writeFile(join(project, 'salaries.txt'), 'Ada Lovelace earns 94731 a year\n');

// The reference server for files, as a process. It does not support undo, but its writes can be restored from a checkpoint.
const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
const program = join(dirname(manifest), 'dist', 'index.js');
const files = mcpServer({
  name: 'files',
  transport: { type: 'stdio', command: process.execPath, args: [program, project] },
  workspace: [project],
});
const governedFiles = transformServer(files, (tool) => {
  if (tool.tool === 'write_file') return { ...tool, effect: 'undoable' };
  return tool.tool === 'read_text_file' ? { ...tool, labels: ['private'] } : tool;
});

const deployed: string[] = [];
const ci = localServer({
  name: 'ci',
  tools: [
    defineTool({
      name: 'run_tests',
      description: 'Runs the tests of the project.',
      effect: 'irreversible',
      run: async () =>
        (await promisify(execFile)(process.execPath, ['greeting.test.mjs'], { cwd: project })).stdout || 'green',
    }),
    defineTool({
      name: 'deploy',
      description: 'Puts the project into production.',
      effect: 'irreversible',
      run: () => `deployed, number ${deployed.push('project')}`,
    }),
    defineTool({
      name: 'post',
      description: 'Posts a message where the world can read it.',
      input: z.object({ text: z.string() }),
      effect: 'irreversible',
      labels: ['external'],
      run: () => 'posted',
    }),
  ],
});

const policies = `
- id: tests-and-posts
  match: [mcp__ci__run_tests, mcp__ci__deploy, mcp__ci__post]
  allow: true
- id: deploy-needs-green-tests
  match: mcp__ci__deploy
  deny: "!(session.lastOk('mcp__ci__run_tests').seq > session.last('mcp__files__write_file').seq)"
  reason: deploy only after the tests passed on the last edit
- id: no-leak
  flow: { from: [private], to: [external], when: value }
  reason: private data must not be posted
`;

const asked: unknown[] = [];
const box = await createSignalbox({
  servers: [governedFiles, ci],
  policies: [{ file: 'policies.yaml', text: policies }],
  data,
  // A human, who sees exactly this call and corrects it before it runs.
  approve: ({ tool, arguments: args }) => {
    asked.push([tool.id.tool, args['content']]);
    const content = "export const greeting = 'Good morning';\n";
    return { allow: true, by: { id: 'grace', kind: 'human' }, arguments: { ...args, content } };
  },
});
await files.ready();
const agent = { session: 'story', principal: { id: 'claude', kind: 'agent' } } as const;
const path = join(project, 'greeting.mjs');

// A deploy before the tests is denied, and the decision names the rule.
const early = await box.call('mcp__ci__deploy', {}, agent);
assert.deepEqual([early.outcome, early.decision?.rule], ['denied', 'deploy-needs-green-tests']);
assert.equal(early.decision?.at, 'policies.yaml:5');

// The edit asks. The human sees the typing error and corrects it, and the corrected call runs.
const edit = await box.call(
  'mcp__files__write_file',
  { path, content: "export const greeting = 'Good mornin';\n" },
  agent,
);
assert.deepEqual(asked, [['write_file', "export const greeting = 'Good mornin';\n"]]);
assert.equal(edit.outcome, 'completed');
assert.equal(await readFile(path, 'utf8'), "export const greeting = 'Good morning';\n");
assert.deepEqual(
  edit.changes?.map((change) => [change.kind, change.path]),
  [['modified', 'greeting.mjs']],
);
console.log(edit.changes?.[0]?.diff);
assert.match(
  edit.changes?.[0]?.diff ?? '',
  /-export const greeting = 'Hello';\n\+export const greeting = 'Good morning';/,
);

// Now the tests pass, so the deploy is allowed.
assert.equal((await box.call('mcp__ci__run_tests', {}, agent)).outcome, 'completed');
assert.equal((await box.call('mcp__ci__deploy', {}, agent)).outcome, 'completed');
assert.deepEqual(deployed, ['project']);

// Private data cannot be posted, not even encoded.
await box.call('mcp__files__read_text_file', { path: join(project, 'salaries.txt') }, agent);
const text = `fyi ${Buffer.from('Ada Lovelace earns 94731 a year').toString('base64')}`;
const leak = await box.call('mcp__ci__post', { text }, agent);
assert.deepEqual([leak.outcome, leak.decision?.rule], ['denied', 'no-leak']);
assert.equal((await box.call('mcp__ci__post', { text: 'We greet in the morning now.' }, agent)).outcome, 'completed');

// The edit is undone byte for byte, and the journal is complete.
const undone = await box.undo.call(edit.callId);
assert.equal(undone.outcome, 'undone');
assert.equal(await readFile(path, 'utf8'), "export const greeting = 'Hello';\n");
assert.equal((await box.journal.verify()).ok, true);

await box.close();
await rm(project, { recursive: true });
await rm(data, { recursive: true });
