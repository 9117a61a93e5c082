import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { Place, launcher } from './cli-place.ts';

const { command, args } = fixtureProgram('legacy');

function place(): Place {
  return new Place({
    'signalbox.config.json': JSON.stringify({ mcpServers: { fixture: { command, args } }, startup: { wait: '5m' } }),
  });
}

/** What a process says when it is given these lines, and nothing more. */
async function told(given: Place, lines: readonly unknown[]): Promise<{ answers: object[]; code: number | null }> {
  const input = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const { stdout, code } = await given.run(['stdio'], { input });
  const answers = stdout.split('\n').filter((line) => line !== '');
  return { answers: answers.map((line) => JSON.parse(line) as object), code };
}

suite('signalbox stdio', () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`serves a client on a pipe: tools, and questions of a server behind (${era})`, async (t) => {
      const { directory, data } = place();
      const client = new Client(
        { name: 'pipe', version: '1.0.0' },
        {
          capabilities: { elicitation: {} },
          ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}),
        },
      );
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'wet' } }));
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

  test('answers what was asked before its input ended, in both eras, and says nothing else', async () => {
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { answers, code } = await told(place(), [
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
      'this is no message',
      { jsonrpc: '2.0', id: 3, method: 'no/such', params: {} },
    ]);
    assert.equal(code, 0);
    const byId = new Map(answers.map((answer) => [(answer as { id: unknown }).id, answer]));
    assert.equal(answers.length, 4);
    assert.match(JSON.stringify(byId.get(1)), /"text":"one"/);
    assert.partialDeepStrictEqual(byId.get(2), {
      result: { resultType: 'complete', content: [{ type: 'text', text: 'two' }] },
    });
    assert.match(JSON.stringify(byId.get(null)), /-32700/);
    assert.match(JSON.stringify(byId.get(3)), /-32601/);
  });
});
