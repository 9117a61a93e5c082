import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../mcp-servers/boxed.ts';
import { bundledFixture } from '../mcp-servers/bundled-fixture.ts';
import { CliProject } from './cli-project.ts';

suite('signalbox serve after SIGTERM', () => {
  test('is not ready at once, accepts requests while it drains, waits for the running calls, and exits with 0', async () => {
    const configuration = { mcpServers: { fixture: { command: process.execPath, args: [bundledFixture] } } };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify(configuration) });
    const token = 'an-admin-token-for-draining';
    const options = ['--drain-seconds', '2', '--grace-seconds', '20', '--max-calls', '50'];
    const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: token }, ...options);
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
    const stopped = stop();
    await until(async () => (await statusOf('ready')) === 503, 'the server is not ready');
    assert.equal(await statusOf('live'), 200);
    assert.equal(await call('echo', { text: 'late' }), 'completed');
    assert.equal(await slow, 'completed', 'the call took longer than the drain');
    await stopped;
  });
});
