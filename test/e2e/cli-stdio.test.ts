import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { CliProject } from './cli-project.ts';

const { command, args } = fixtureProgram('legacy');

function createProject(): CliProject {
  return new CliProject({
    'signalbox.config.json': JSON.stringify({ mcpServers: { fixture: { command, args } }, startup: { wait: '5m' } }),
  });
}

/** Sends these lines to `signalbox stdio`, closes its input, and returns its messages and its exit code. */
async function exchange(
  project: CliProject,
  lines: readonly unknown[],
): Promise<{ messages: object[]; code: number | null }> {
  const input = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const { stdout, code } = await project.run(['stdio'], { input });
  const messages = stdout.split('\n').filter((line) => line !== '');
  return { messages: messages.map((line) => JSON.parse(line) as object), code };
}

suite('signalbox stdio', () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`serves a client on a pipe: tools, and elicitations of a server (${era})`, async (t) => {
      const project = createProject();
      const client = new Client(
        { name: 'pipe', version: '1.0.0' },
        {
          capabilities: { elicitation: {} },
          ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}),
        },
      );
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'wet' } }));
      await client.connect(new StdioClientTransport(project.stdioServer()));
      t.after(() => client.close());
      assert.equal(client.getProtocolEra(), era);
      const { tools } = await client.listTools();
      assert.ok(
        tools.some(({ name }) => name === 'mcp__fixture__echo'),
        'the list waits for the servers',
      );
      const { content } = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
      assert.deepEqual(content, [{ type: 'text', text: 'rain: wet' }]);
    });
  }

  test('answers all requests before the end of its input, in both eras, and prints nothing else', async () => {
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { messages, code } = await exchange(createProject(), [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'mcp__fixture__echo', arguments: { text: 'one' } },
      },
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'mcp__fixture__echo', arguments: { text: 'two' }, _meta: modern },
      },
      'this is not a message',
      { jsonrpc: '2.0', id: 3, method: 'no/such', params: {} },
    ]);
    assert.equal(code, 0);
    const byId = new Map(messages.map((message) => [(message as { id: unknown }).id, message]));
    assert.equal(messages.length, 4);
    assert.match(JSON.stringify(byId.get(1)), /"text":"one"/);
    assert.partialDeepStrictEqual(byId.get(2), {
      result: { resultType: 'complete', content: [{ type: 'text', text: 'two' }] },
    });
    assert.match(JSON.stringify(byId.get(null)), /-32700/);
    assert.match(JSON.stringify(byId.get(3)), /-32601/);
  });
});
