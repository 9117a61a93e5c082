import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { CliProject } from './cli-project.ts';

const token = 'a-token-for-this-test';
const { command, args } = fixtureProgram();
/** Two servers that never answer are queued before one that does, which starts once the first has held its slot for 5 s. */
const hang = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
const configuration = JSON.stringify({
  mcpServers: { stuck: hang, 'stuck-too': hang, fixture: { command, args } },
  startup: { concurrency: 1, wait: '1ms' },
});

const hasEcho = async (client: Client): Promise<boolean> =>
  (await client.listTools()).tools.some(({ name }) => name === 'mcp__fixture__echo');

async function waitForEcho(client: Client): Promise<void> {
  let isListed = false;
  const poll = setInterval(() => void hasEcho(client).then((has) => (isListed ||= has)), 100);
  await until(() => isListed, 'the tools of the server that answers').finally(() => clearInterval(poll));
}

describe('start with servers that never answer', () => {
  test('serve answers initialize and health, and starts and calls the next server', async () => {
    const project = new CliProject({ 'signalbox.config.json': configuration });
    const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: token });
    const client = new Client({ name: 'early', version: '1' });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
    const health = await fetch(`${url}/api/health`);
    assert.equal(health.status, 200);
    const { starting: before } = (await health.json()) as { starting: number };
    assert.ok(before >= 2, 'the servers that never answer are starting');
    const { stdout } = await project.run(['status'], { environment: { SIGNALBOX_TOKEN: token } });
    assert.match(stdout, /Servers +[12] up, [23] starting, 0 down/);
    const echo = { name: 'mcp__fixture__echo', arguments: { text: 'waited for' } };
    const { content } = await client.callTool(echo);
    assert.deepEqual(content, [{ type: 'text', text: 'waited for' }]);
    await waitForEcho(client);
    const { starting } = (await (await fetch(`${url}/api/health`)).json()) as { starting: number };
    assert.ok(starting > 0, 'the others are still starting');
    await client.close();
    await stop();
  });

  test('stdio answers initialize, and lists the tools of the next server', async (t) => {
    const project = new CliProject({ 'signalbox.config.json': configuration });
    const client = new Client({ name: 'early', version: '1' });
    await client.connect(new StdioClientTransport(project.stdioServer()));
    t.after(() => client.close());
    await waitForEcho(client);
  });
});
