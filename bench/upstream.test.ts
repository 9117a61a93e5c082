import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../test/support/command.ts';

test('the benchmark of library clients runs, and measures every series', async () => {
  const { ok, output } = await command(process.execPath, ['bench/upstream.ts', '--quick']);
  assert.ok(ok, output);
  for (const series of ['stdio server', 'HTTP server'].flatMap((server) => [`${server}.*one`, `${server}.*32`]))
    assert.match(output, new RegExp(`${series} at a time\\n\\n(?:\\|.*\\n)+?\\| Signalbox \\| [\\d.]+`), output);
});
