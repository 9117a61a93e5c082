import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../test/support/command.ts';

test('the benchmark of starts with many servers runs', async () => {
  const { ok, output } = await command(process.execPath, ['bench/start-many.ts', '--quick']);
  assert.ok(ok, output);
  for (const name of ['no gateway, 4 at a time', 'Signalbox serve', 'Signalbox stdio'])
    for (const title of ['to the first answer, 6 servers', 'until 6 servers are up'])
      assert.match(output, new RegExp(`${title}, ms\\n\\n(?:\\|.*\\n)+?\\| ${name} \\| \\d+`), output);
});
