import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { makeUndoableWrites } from '../support/journal/undoable-writes.ts';
import { CliProject } from './cli-project.ts';

test('undo CALL restores and lists what the call changed', async () => {
  const project = new CliProject();
  const { file, calls } = await makeUndoableWrites(project, ['after']);
  const undone = await project.run(['undo', calls[0] ?? '']);
  assert.equal(undone.code, 0, undone.stderr);
  assert.match(undone.stdout, /^undone mcp__t__write call_\w+\n {2}restored a\.txt, which the call had modified\n$/);
  assert.equal(readFileSync(file, 'utf8'), 'before');
  const again = await project.run(['undo', calls[0] ?? '']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /undo-done/);
});

test('undo reports conflicts and changes nothing; --session undoes the last call first', async () => {
  const project = new CliProject();
  const { file, calls } = await makeUndoableWrites(project, ['one', 'two']);
  const refused = await project.run(['undo', calls[0] ?? '', '--json']);
  assert.equal(refused.code, 1);
  const { outcome, conflicts } = JSON.parse(refused.stdout) as Record<string, unknown>;
  assert.equal(outcome, 'conflict');
  assert.equal((conflicts as unknown[]).length, 1);
  assert.equal(readFileSync(file, 'utf8'), 'two');
  const { items } = await project.json(['undo', '--session', 's']);
  assert.deepEqual(
    (items as { callId: string }[]).map(({ callId }) => callId),
    calls.toReversed(),
  );
  assert.equal(readFileSync(file, 'utf8'), 'before');
  assert.equal((await project.run(['undo'])).code, 2);
});

test('undo --session exits with 1 at a call whose tool cannot be loaded, and leaves earlier calls as they are', async () => {
  const project = new CliProject();
  const { file } = await makeUndoableWrites(project, ['after']);
  const order = defineTool({ name: 'order', description: 'Orders.', run: () => 'ok', undo: () => undefined });
  const servers = [localServer({ name: 'shop', tools: [order] })];
  const box = await createSignalbox({ data: project.data, servers, approve: () => ({ allow: true }) });
  await box.call('mcp__shop__order', {}, { session: 's' });
  await box.close();
  const refused = await project.run(['undo', '--session', 's']);
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /^failed mcp__shop__order call_\w+\n {2}nothing was touched: .* is not available/);
  assert.equal(readFileSync(file, 'utf8'), 'after');
});

test('undo beside a running call names the call that it waits for, and gives up after --wait', async () => {
  const project = new CliProject();
  const { file, calls } = await makeUndoableWrites(project, ['after']);
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    effect: 'undoable',
    run() {
      started.resolve();
      return finish.promise;
    },
  });
  const servers = [localServer({ name: 't', tools: [slow], workspace: [join(project.directory, 'workspace')] })];
  const box = await createSignalbox({ data: project.data, servers, approve: () => ({ allow: true }) });
  const running = box.call('mcp__t__slow');
  await started.promise;
  const refused = await project.run(['undo', calls[0] ?? '', '--wait', '1s']);
  finish.resolve();
  const { callId } = await running;
  await box.close();
  assert.equal(refused.code, 1);
  assert.equal(refused.stderr, `waiting for ${callId}, which runs in the same workspace\n`);
  assert.match(refused.stdout, new RegExp(`nothing was touched: ${callId} is still running in its workspace`));
  assert.equal(readFileSync(file, 'utf8'), 'after');
});
