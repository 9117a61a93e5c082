import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../mcp-servers/boxed.ts';
import { bundledFixture } from '../mcp-servers/bundled-fixture.ts';
import { Place, finished, said } from './cli-place.ts';

suite('signalbox serve that is told to stop', () => {
  test('is not ready at once, still takes what comes while it drains, lets the calls under way end, and ends with 0', async () => {
    const configuration = { mcpServers: { fixture: { command: process.execPath, args: [bundledFixture] } } };
    const place = new Place({ 'signalbox.config.json': JSON.stringify(configuration) });
    const token = 'an-admin-token-for-draining';
    const options = ['--port', '0', '--drain-seconds', '2', '--grace-seconds', '20', '--max-calls', '50', '--json'];
    const child = place.start(['serve', ...options], { SIGNALBOX_TOKEN: token });
    const ended = finished(child);
    const { url } = JSON.parse(await said(child.stdout, /\}\n/)) as { url: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = async (tool: string, args: object): Promise<string> => {
      const body = JSON.stringify({ arguments: args });
      const response = await fetch(`${url}/api/tools/mcp__fixture__${tool}/call`, { method: 'POST', headers, body });
      return ((await response.json()) as { outcome: string }).outcome;
    };
    await until(async () => (await call('echo', { text: 'up' })) === 'completed', 'the server is up');
    const slow = call('wait', { ms: 4000 });
    const statusOf = async (probe: string): Promise<number> => (await fetch(`${url}/api/health/${probe}`)).status;
    assert.equal(await statusOf('ready'), 200);
    child.kill('SIGTERM');
    await until(async () => (await statusOf('ready')) === 503, 'it is not ready any more');
    assert.equal(await statusOf('live'), 200);
    assert.equal(await call('echo', { text: 'late' }), 'completed');
    assert.equal(await slow, 'completed', 'it took longer than the draining');
    assert.equal((await ended).code, 0);
  });
});
