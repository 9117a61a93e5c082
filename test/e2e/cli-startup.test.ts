import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { Place, finished, launcher, said } from './cli-place.ts';

const token = 'a-token-for-this-test';
const { command, args } = fixtureProgram();
/** Two servers that never answer, queued before one that does; it starts once the first has held its slot for 5 s. */
const hang = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
const configuration = JSON.stringify({
  mcpServers: { stuck: hang, 'stuck-too': hang, fixture: { command, args } },
  startup: { concurrency: 1, wait: '1ms' },
});

const hasEcho = async (client: Client): Promise<boolean> =>
  (await client.listTools()).tools.some(({ name }) => name === 'mcp__fixture__echo');

async function whenListed(client: Client): Promise<void> {
  let isListed = false;
  const look = setInterval(() => void hasEcho(client).then((has) => (isListed ||= has)), 100);
  await until(() => isListed, 'the tools of the server that answers').finally(() => clearInterval(look));
}

describe('a server that never answers does not prevent', () => {
  test('serve from answering initialize and health, or the next server from being started and called', async () => {
    const place = new Place({ 'signalbox.config.json': configuration });
    const child = place.start(['serve', '--port', '0', '--json'], { SIGNALBOX_TOKEN: token });
    const ended = finished(child);
    const { url } = JSON.parse(await said(child.stdout, /\n/)) as { url: string };
    const client = new Client({ name: 'early', version: '1' });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
    const health = await fetch(`${url}/api/health`);
    assert.equal(health.status, 200);
    const { starting: before } = (await health.json()) as { starting: number };
    assert.ok(before >= 2, 'those that never answer are starting');
    const { stdout } = await place.run(['status'], { environment: { SIGNALBOX_TOKEN: token } });
    assert.match(stdout, /Servers +[12] up, [23] starting, 0 down/);
    const echo = { name: 'mcp__fixture__echo', arguments: { text: 'waited for' } };
    const { content } = await client.callTool(echo);
    assert.deepEqual(content, [{ type: 'text', text: 'waited for' }]);
    await whenListed(client);
    const { starting } = (await (await fetch(`${url}/api/health`)).json()) as { starting: number };
    assert.ok(starting > 0, 'the others still have not');
    await client.close();
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('stdio from answering initialize, or from listing the tools of the next server', async (t) => {
    const { directory, data } = new Place({ 'signalbox.config.json': configuration });
    const client = new Client({ name: 'early', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [launcher, 'stdio'],
        cwd: directory,
        env: { ...(process.env as Record<string, string>), SIGNALBOX_HOME: data, SIGNALBOX_SECRETS: 'file' },
        stderr: 'ignore',
      }),
    );
    t.after(() => client.close());
    await whenListed(client);
  });
});
