import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteStore } from '../../src/index.ts';
import { draft } from '../../src/journal/store/store.conformance.ts';
import { fillStore } from '../support/journal/filled-store.ts';
import { CliProject } from './cli-project.ts';

test('backup copies all acknowledged entries while another process writes, and the copy can replace the database', async () => {
  const project = new CliProject();
  const store = sqliteStore({ file: join(project.data, 'signalbox.db') });
  await fillStore(store, { calls: 200 });
  // So many that the process buffers the tail: the last entries are in no table yet.
  for (let index = 0; index < 60; index += 1) await store.append([draft({ call: `last ${index}` })]);
  const file = join(project.directory, 'backup.db');
  const { head, entries } = await project.json(['backup', file]);
  await store.append([draft({ call: 'too late' })]);
  await store.close();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await project.run(['backup', file])).code, 1, 'an existing file is never overwritten');

  const restored = new CliProject();
  mkdirSync(restored.data);
  copyFileSync(file, join(restored.data, 'signalbox.db'));
  const verified = await restored.json(['journal', 'verify', '--head', String(head)]);
  assert.deepEqual([verified['entries'], verified['head']], [entries, head]);
  const { items } = await restored.json(['journal', '--limit', '1']);
  assert.equal((items as { callId: string }[])[0]?.callId, 'last 59');
  assert.equal(((await restored.json(['approvals']))['items'] as unknown[]).length, 1);
});
