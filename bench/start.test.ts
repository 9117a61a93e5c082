import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../test/support/command.ts';

test('the benchmark of starts runs, and waits for the tools of four servers', async () => {
  const { ok, output } = await command(process.execPath, ['bench/start.ts', '--quick']);
  assert.ok(ok, output);
  for (const name of ['everything itself', 'Signalbox serve', 'Signalbox stdio, again'])
    assert.match(output, new RegExp(`of four servers, ms\\n\\n(?:\\|.*\\n)+?\\| ${name} \\| \\d+`), output);
});
