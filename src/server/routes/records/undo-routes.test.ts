import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { defineTool, localServer } from '../../../index.ts';

test('POST /api/calls/{id}/undo restores the changes of a call; a conflict and a second undo get 409', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'signalbox-http-undo-'));
  const file = join(workspace, 'a.txt');
  writeFileSync(file, 'before');
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    effect: 'undoable',
    run: () => writeFileSync(file, 'after'),
  });
  const servers = [localServer({ name: 'test', tools: [write], workspace: [workspace] })];
  const box = await openSignalbox({ servers, approve: () => ({ allow: true }) });
  t.after(async () => {
    await box.close();
    rmSync(workspace, { recursive: true });
  });
  const { call, get, server } = await startTestServer(t, { box });
  const undo = (id: string): Promise<Response> =>
    fetch(`${server.url}/api/calls/${id}/undo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: '{}',
    });

  const { callId, changes } = await bodyOf(call('write'));
  assert.deepEqual(
    changes?.map(({ path, kind }) => [path, kind]),
    [['a.txt', 'modified']],
  );
  assert.deepEqual((await bodyOf<{ changes: unknown }>(get(`/api/calls/${callId}`))).changes, changes);

  const undoState = async (): Promise<unknown> => (await bodyOf<{ undo: unknown }>(get(`/api/calls/${callId}`))).undo;
  assert.deepEqual(await undoState(), { state: 'ready', changes });

  writeFileSync(file, 'by a human');
  const conflict = await undo(callId);
  assert.equal(conflict.status, 409);
  const { code, issues } = await bodyOf<{ code: string; issues: unknown }>(conflict);
  assert.deepEqual([code, issues], ['undo-conflict', [{ path: 'a.txt', message: 'it was changed since the call' }]]);
  assert.equal(readFileSync(file, 'utf8'), 'by a human');

  writeFileSync(file, 'after');
  assert.equal((await bodyOf<{ outcome: string }>(undo(callId))).outcome, 'undone');
  assert.equal(readFileSync(file, 'utf8'), 'before');
  assert.deepEqual(await undoState(), { state: 'undone' });
  assert.equal((await undo(callId)).status, 409);
  assert.equal((await undo('call_none')).status, 404);
});

test('POST /api/sessions/{id}/undo undoes the calls of a session, last first, and stops at the first conflict', async (t) => {
  const workspace = mkdtempSync(join(tmpdir(), 'signalbox-http-undo-'));
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    effect: 'undoable',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const,
    run: ({ name }) => writeFileSync(join(workspace, name), 'after'),
  });
  const servers = [localServer({ name: 'test', tools: [write], workspace: [workspace] })];
  const box = await openSignalbox({ servers, approve: () => ({ allow: true }) });
  t.after(async () => {
    await box.close();
    rmSync(workspace, { recursive: true });
  });
  const { send } = await startTestServer(t, { box });
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await box.call('mcp__test__write', { name }, { session: 's/1' });
  writeFileSync(join(workspace, 'b.txt'), 'by a human');
  const undo = async (body: object): Promise<string[]> => {
    const response = await send(adminToken, 'POST', '/api/sessions/s%2F1/undo', body);
    return (await bodyOf<{ items: { outcome: string }[] }>(response)).items.map(({ outcome }) => outcome);
  };
  assert.deepEqual(await undo({}), ['undone', 'conflict']);
  assert.deepEqual(readdirSync(workspace), ['a.txt', 'b.txt']);
  writeFileSync(join(workspace, 'b.txt'), 'after');
  assert.deepEqual(await undo({ waitSeconds: 1 }), ['undone', 'undone']);
  assert.deepEqual(readdirSync(workspace), []);
  assert.deepEqual(await undo({}), []);
});
