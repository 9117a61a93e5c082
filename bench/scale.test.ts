import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../test/support/command.ts';

test('the benchmark of several servers on one database runs, and measures reads and effects', async () => {
  const { ok, output } = await command(process.execPath, ['bench/scale.ts', '--quick']);
  assert.ok(ok, output);
  for (const kind of ['reads', 'calls with an effect'])
    assert.match(
      output,
      new RegExp(`### ${kind}.*\\n\\n(?:\\|.*\\n){2}\\| 1 \\| [\\d,]+ .*\\n\\| 2 \\| [\\d,]+ .* cores; \\w+`),
      output,
    );
});
