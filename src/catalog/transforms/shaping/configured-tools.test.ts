import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliProject, notesModule } from '../../../../test/e2e/cli-project.ts';

interface ToolListing {
  readonly items: {
    name: string;
    description: string;
    inputSchema: unknown;
    effect: string;
    providerOptions?: unknown;
  }[];
  readonly hidden: { name: string; by: string; reason: string }[];
  readonly servers: { name: string; status: string; reason?: string }[];
  readonly notices: { server: string; tool: string; message: string }[];
}

function placeWith(tools: object): CliProject {
  return new CliProject({
    'notes.ts': notesModule,
    'signalbox.config.json': JSON.stringify({ mcpServers: { notes: { module: './notes.ts', tools } } }, null, 2),
  });
}

describe('the tools block of a configuration file', () => {
  test('determines the output of `tools --why` and the behavior of `call`', async () => {
    const place = placeWith({
      deny: ['wa*', 'odd', 'mo_*'],
      rename: { add: 'note', list: 'all' },
      describe: { all: 'Everything noted.' },
      arguments: { note: { set: { text: 'fixed' } } },
      effect: { note: 'read' },
      providerOptions: { all: { openai: { strict: true } } },
      prefix: true,
    });
    const { items, hidden, notices } = (await place.json(['tools', '--why'])) as unknown as ToolListing;
    const listed = items.filter(({ name }) => name.startsWith('mcp__notes__'));
    assert.deepEqual(
      listed.map(({ name, description, effect }) => [name, description, effect]),
      [
        ['mcp__notes__note', '[notes] Adds a note.', 'read'],
        ['mcp__notes__all', '[notes] Everything noted.', 'read'],
      ].toSorted(
        (a, b) => listed.findIndex(({ name }) => name === a[0]) - listed.findIndex(({ name }) => name === b[0]),
      ),
    );
    const all = listed.find(({ name }) => name === 'mcp__notes__all');
    assert.deepEqual(all?.providerOptions, { openai: { strict: true } });
    assert.deepEqual(listed.find(({ name }) => name === 'mcp__notes__note')?.inputSchema, {
      type: 'object',
      properties: {},
    });
    assert.deepEqual(
      hidden.filter(({ name }) => name === 'mcp__notes__wait').map(({ by, reason }) => [by, reason]),
      [['rule', 'hidden by deny pattern "wa*" in signalbox.config.json']],
    );
    assert.deepEqual(notices, [
      {
        server: 'notes',
        tool: 'mcp__notes__*',
        message: 'deny pattern "mo_*" in signalbox.config.json matches no tool of this server',
      },
    ]);

    assert.match((await place.run(['call', 'notes/note'])).stdout, /added fixed/);
    const rejected = await place.json(['call', 'notes/note', '{"text": "other"}'], 1);
    assert.equal((rejected['error'] as { code: string }).code, 'arguments-invalid');
    const denied = await place.json(['call', 'mcp__notes__wait'], 1);
    const { code, message } = denied['error'] as { code: string; message: string };
    assert.equal(code, 'tool-hidden');
    assert.match(message, /cannot be called: hidden by deny pattern "wa\*" in signalbox\.config\.json \(since/);
  });

  test('is rejected with file and line when it is invalid', async () => {
    const place = placeWith({ rename: { add: 'note' }, describe: { add: 'x', note: 'y' } });
    const { code, stderr } = await place.run(['tools']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /signalbox\.config\.json:11:11 .*mcpServers\.notes\.tools\.describe\.note: is the same tool as "add"/,
    );
  });

  test('takes the server down, with the reason, when it does not match the schema of a tool', async () => {
    const place = placeWith({ arguments: { add: { hide: ['text'] } } });
    const { servers, items } = (await place.json(['tools', '--why'])) as unknown as ToolListing;
    const server = servers.find(({ name }) => name === 'notes');
    assert.equal(server?.status, 'down');
    assert.match(
      server?.reason ?? '',
      /signalbox\.config\.json: tools\.arguments of tool "add" hides "text", which is required/,
    );
    assert.ok(
      items.some(({ name }) => name === 'mcp__signalbox__ping'),
      'the built-in server is missing',
    );
  });
});
