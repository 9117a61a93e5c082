import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command } from '../test/support/command.ts';

test('the benchmark of gateways runs, and measures every series', async () => {
  const { ok, output } = await command(process.execPath, ['bench/gateway.ts', '--quick']);
  assert.ok(ok, output);
  for (const series of [
    'stdio server, 32',
    'stdio server, one',
    'HTTP server of the SDK',
    'HTTP server, JSON',
    'tools/list of 1,000',
    'Start to',
  ])
    assert.match(output, new RegExp(`### ${series}.*\\n\\n(?:\\|.*\\n)+?\\| Signalbox \\| [\\d,]+`), output);
});
