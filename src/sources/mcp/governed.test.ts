import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import { createSignalbox, mcpServer } from '../../index.ts';

test('calls of a mounted server are decided by policy, denied without an approval, and recorded', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-governed-'));
  const server = mcpServer({ name: 'fixture', transport: fixtureProgram() });
  const box = await createSignalbox({ servers: [server] });
  t.after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });
  await server.ready();
  const file = join(directory, 'acts');
  const result = await box.call('mcp__fixture__act', { file, line: 'never' });
  assert.equal(result.outcome, 'denied');
  assert.equal(result.decision?.answer, 'ask');
  assert.ok(!existsSync(file), 'the server did not act');
  const { items } = await box.journal.calls();
  assert.deepEqual(
    items.map((item) => [item.type, item.tool, item.adapter]),
    [['ToolInvoked', 'mcp__fixture__act', 'mcp:fixture']],
  );
});
