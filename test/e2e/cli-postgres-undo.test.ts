import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { after, suite, test } from 'node:test';
import { postgresStore } from '../../src/index.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { makeUndoableWrites } from '../support/journal/undoable-writes.ts';
import { CliProject } from './cli-project.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Makes undoable writes with records in PostgreSQL. */
async function writeTexts(
  project: CliProject,
  address: string,
  ...texts: readonly string[]
): ReturnType<typeof makeUndoableWrites> {
  const store = await postgresStore({ address });
  try {
    return await makeUndoableWrites(project, texts, store);
  } finally {
    await store.close();
  }
}

const createProject = (address: string): CliProject =>
  new CliProject({ 'signalbox.config.json': JSON.stringify({ store: address }) });

suite('undo with records in PostgreSQL', () => {
  test('restores the changes of calls on the machine where they ran, the last call first', async () => {
    const address = cluster.address('here');
    const project = createProject(address);
    const { file, calls } = await writeTexts(project, address, 'one', 'two');
    const refused = await project.json(['undo', calls[0] ?? ''], 1);
    assert.equal(refused['outcome'], 'conflict');
    assert.equal(readFileSync(file, 'utf8'), 'two');
    const { items } = await project.json(['undo', '--session', 's']);
    assert.deepEqual(
      (items as { callId: string; outcome: string }[]).map(({ callId, outcome }) => [callId, outcome]),
      calls.toReversed().map((call) => [call, 'undone']),
    );
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });

  test('names the machine of a call that ran elsewhere, and undoes no call before it', async () => {
    const address = cluster.address('elsewhere');
    const project = createProject(address);
    const { file, calls } = await writeTexts(project, address, 'after');
    const store = await postgresStore({ address });
    const [entry] = await store.entries({ order: 'newest-first', limit: 1, type: 'ToolInvoked' });
    assert.ok(entry !== undefined);
    assert.equal((JSON.parse(entry.body) as { machine: string }).machine, hostname());
    const body = JSON.stringify({ ...(JSON.parse(entry.body) as object), machine: 'machine-b' });
    await store.append([{ ...entry, call: 'call_elsewhere', body }]);
    await store.close();
    const refused = await project.run(['undo', 'call_elsewhere']);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /undo-unavailable.*it ran on machine-b.*undo it there: signalbox undo call_elsewhere/s,
    );
    const { items } = await project.json(['undo', '--session', 's'], 1);
    assert.deepEqual(
      (items as { callId: string; outcome: string }[]).map(({ callId, outcome }) => [callId, outcome]),
      [['call_elsewhere', 'failed']],
    );
    assert.equal(readFileSync(file, 'utf8'), 'after');
    assert.equal((await project.run(['undo', calls[0] ?? ''])).code, 0);
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });
});
