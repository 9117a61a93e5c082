import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localServer } from '../../sources/local/local-server.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { CliError } from '../cli-error.ts';
import { resolveTool } from './resolve-tool.ts';

const tool = (name: string) => ({ name, description: name, run: () => name });

test('resolveTool accepts a rendered name, server/tool, and a tool name that is unique', async () => {
  const box = await createSignalbox({
    servers: [
      localServer({ name: 'notes', tools: [tool('add'), tool('list')] }),
      localServer({ name: 'tasks', tools: [tool('add')] }),
      localServer({ name: 'off', tools: [tool('list'), tool('hidden')] }),
    ],
  });
  box.servers.disable('off');
  const catalog = box.catalog();
  await box.close();

  assert.equal(resolveTool('mcp__notes__add', catalog), 'mcp__notes__add');
  assert.equal(resolveTool('notes/add', catalog), 'mcp__notes__add');
  assert.equal(resolveTool('list', catalog), 'mcp__notes__list', 'a hidden tool made the name ambiguous');
  assert.equal(resolveTool('hidden', catalog), 'mcp__off__hidden', 'the call cannot report why the tool is hidden');
  assert.equal(resolveTool('nope', catalog), 'nope');
  assert.throws(
    () => resolveTool('add', catalog),
    (error) =>
      error instanceof CliError &&
      error.exitCode === 2 &&
      error.details.lines?.join() === 'mcp__notes__add,mcp__tasks__add',
  );
});
