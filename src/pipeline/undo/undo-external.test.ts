import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { referenceServer } from '../../../test/mcp-servers/programs.ts';
import { treeFingerprint } from '../../../test/support/undo/tree-fingerprint.ts';
import { createSignalbox, mcpServer, transformServer } from '../../index.ts';

test('changes of an external server’s tool in its declared workspace are reported and undone', async (t) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-undo-')));
  const workspace = join(directory, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'one\n');
  const files = mcpServer({
    name: 'files',
    transport: referenceServer('filesystem', [workspace]),
    workspace: [workspace],
  });
  const undoable = transformServer(files, (tool) => ({ ...tool, effect: 'undoable' }));
  const box = await createSignalbox({ servers: [undoable], approve: () => ({ allow: true }) });
  t.after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });
  await files.ready();
  const before = treeFingerprint(workspace);
  const path = join(workspace, 'a.txt');
  const written = await box.call('mcp__files__write_file', { path, content: 'two\n' });
  assert.equal(written.outcome, 'completed');
  assert.deepEqual(
    written.changes?.map((change) => [change.path, change.kind]),
    [['a.txt', 'modified']],
  );
  const moved = await box.call('mcp__files__move_file', { source: path, destination: join(workspace, 'b.txt') });
  assert.equal(readFileSync(join(workspace, 'b.txt'), 'utf8'), 'two\n');
  assert.equal((await box.undo.call(moved.callId)).outcome, 'undone');
  assert.equal((await box.undo.call(written.callId)).outcome, 'undone');
  assert.deepEqual(treeFingerprint(workspace), before);
});
