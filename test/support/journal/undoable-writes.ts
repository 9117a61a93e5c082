import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Store, createSignalbox, defineTool, localServer } from '../../../src/index.ts';
import type { CliProject } from '../../e2e/cli-project.ts';

/**
 * Makes calls that write to one file of a workspace, in a session. Returns their ids. Records are in the data directory of the project,
 * unless a store is given.
 */
export async function makeUndoableWrites(
  project: CliProject,
  texts: readonly string[],
  store?: Store,
): Promise<{ file: string; calls: string[] }> {
  const workspace = join(project.directory, 'workspace');
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
  const storage = store === undefined ? {} : { store };
  const box = await createSignalbox({ ...storage, data: project.data, servers, approve: () => ({ allow: true }) });
  const calls = [];
  for (const text of texts) calls.push((await box.call('mcp__t__write', { text }, { session: 's' })).callId);
  await box.close();
  return { file, calls };
}
