import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { Place } from './cli-place.ts';

/** Has some calls write to one file of a workspace, in a session; answers their ids. */
async function written(place: Place, ...texts: readonly string[]): Promise<{ file: string; calls: string[] }> {
  const workspace = join(place.directory, 'workspace');
  mkdirSync(workspace);
  const file = join(workspace, 'a.txt');
  writeFileSync(file, 'before');
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    effect: 'undoable',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
    run: ({ text }) => writeFileSync(file, text),
  });
  const servers = [localServer({ name: 't', tools: [write], workspace: [workspace] })];
  const box = await createSignalbox({ data: place.data, servers, approve: () => ({ allow: true }) });
  const calls = [];
  for (const text of texts) calls.push((await box.call('mcp__t__write', { text }, { session: 's' })).callId);
  await box.close();
  return { file, calls };
}

test('undo CALL restores what the call changed, and says what that was', async () => {
  const place = new Place();
  const { file, calls } = await written(place, 'after');
  const undone = await place.run(['undo', calls[0] ?? '']);
  assert.equal(undone.code, 0, undone.stderr);
  assert.match(undone.stdout, /^undone mcp__t__write call_\w+\n {2}~ a\.txt\n$/);
  assert.equal(readFileSync(file, 'utf8'), 'before');
  const again = await place.run(['undo', calls[0] ?? '']);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /undo-done/);
});

test('undo tells of conflicts and touches nothing; --session goes from the last call to the first', async () => {
  const place = new Place();
  const { file, calls } = await written(place, 'one', 'two');
  const refused = await place.run(['undo', calls[0] ?? '', '--json']);
  assert.equal(refused.code, 1);
  const { outcome, conflicts } = JSON.parse(refused.stdout) as Record<string, unknown>;
  assert.equal(outcome, 'conflict');
  assert.equal((conflicts as unknown[]).length, 1);
  assert.equal(readFileSync(file, 'utf8'), 'two');
  const { items } = await place.json(['undo', '--session', 's']);
  assert.deepEqual(
    (items as { callId: string }[]).map(({ callId }) => callId),
    calls.toReversed(),
  );
  assert.equal(readFileSync(file, 'utf8'), 'before');
  assert.equal((await place.run(['undo'])).code, 2);
});
