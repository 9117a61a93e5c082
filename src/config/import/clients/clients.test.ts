import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseConfiguration } from '../../file/load-configuration.ts';
import type { ClientReading } from '../client-reading.ts';
import { ImportedSecrets } from '../imported-secrets.ts';
import { fittingName } from '../plan-import.ts';
import { clients } from './clients.ts';

const fixtures = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'fixtures', 'clients');

async function read(id: string, text: string): Promise<ClientReading> {
  const client = clients.find((each) => each.id === id);
  assert.ok(client, id);
  const context = { file: 'x', home: '/home/me', directory: '/project', secrets: new ImportedSecrets() };
  return (await client.load())(text, context);
}

/** Returns the entries by name, after asserting that the configuration loader accepts them. */
async function entriesOf(id: string, fixture: string): Promise<Record<string, object>> {
  const { servers, problems } = await read(id, readFileSync(join(fixtures, fixture), 'utf8'));
  assert.deepEqual(problems, []);
  const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  const fitting = Object.fromEntries(servers.map(({ name, entry }) => [fittingName(name), entry]));
  parseConfiguration(JSON.stringify({ mcpServers: fitting }), 'signalbox.config.json');
  return entries;
}

async function permissionsIn(id: string, fixture: string): Promise<Record<string, unknown>> {
  const { servers } = await read(id, readFileSync(join(fixtures, fixture), 'utf8'));
  return Object.fromEntries(servers.flatMap(({ name, permissions }) => (permissions ? [[name, permissions]] : [])));
}

async function notesOf(id: string, fixture: string): Promise<Record<string, readonly string[]>> {
  const { servers, skipped } = await read(id, readFileSync(join(fixtures, fixture), 'utf8'));
  const notes = servers
    .filter((server) => server.notes.length > 0)
    .map(({ name, notes: list }) => [name, list] as const);
  return Object.fromEntries([...notes, ...skipped.map(({ name, reason }) => [name, [reason]] as const)]);
}

suite('the reader of', () => {
  test('Claude Code reads the servers of the project', async () => {
    assert.deepEqual(await entriesOf('claude-code', 'claude-code.mcp.json'), {
      github: {
        type: 'http',
        url: 'https://api.githubcopilot.com/mcp/',
        headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}' },
      },
      files: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '${env:WORKSPACE:-.}'],
        env: { LOG_LEVEL: 'debug' },
      },
    });
    assert.deepEqual(await notesOf('claude-code', 'claude-code.mcp.json'), {
      files: ['NODE_OPTIONS is not copied: it makes a program load other code'],
    });
  });

  test('Claude Code reads the servers of the user and of this project only', async () => {
    assert.deepEqual(await entriesOf('claude-code', 'claude-code.user.json'), {
      'my notes': { command: '/opt/notes/bin/notes' },
      weather: {
        type: 'sse',
        url: 'https://weather.example.com/sse',
        headers: { 'X-Api-Key': '${secret:WEATHER_X_API_KEY}' },
      },
    });
  });

  test('Claude Code reads the permissions of MCP tools only', async () => {
    const { permissions, servers } = await read(
      'claude-code',
      readFileSync(join(fixtures, 'claude-code.settings.json'), 'utf8'),
    );
    assert.deepEqual(servers, []);
    assert.deepEqual(
      permissions?.map(({ name, answer }) => `${answer} ${name}`),
      [
        'allow mcp__files__read_file',
        'allow mcp__github',
        'allow mcp__my_notes__*',
        'ask mcp__files__write_file',
        'deny mcp__files__move_file',
        'deny mcp__weather',
      ],
    );
  });

  test('Claude Desktop stores secrets of variables and arguments', async () => {
    assert.deepEqual(await entriesOf('claude-desktop', 'claude-desktop.json'), {
      'brave-search': {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-brave-search'],
        env: { BRAVE_API_KEY: '${secret:BRAVE_API_KEY}' },
      },
      postgres: {
        command: 'npx',
        args: [
          '-y',
          '@modelcontextprotocol/server-postgres',
          'postgresql://app:${secret:POSTGRES_URL_PASSWORD}@db.example.com/app',
        ],
      },
    });
    assert.deepEqual(await notesOf('claude-desktop', 'claude-desktop.json'), {
      'brave-search': ['a secret is stored encrypted: BRAVE_API_KEY'],
      postgres: ['a secret is stored encrypted: POSTGRES_URL_PASSWORD'],
    });
  });

  test('Cursor resolves the variables of the editor', async () => {
    assert.deepEqual(await entriesOf('cursor', 'cursor.json'), {
      files: {
        command: 'node',
        args: ['/project/tools/files.js', '--home', '/home/me'],
        env: { TOKEN: '${env:FILES_TOKEN}' },
      },
      linear: { type: 'sse', url: 'https://mcp.linear.app/sse' },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', disabled: true },
    });
    assert.deepEqual(Object.keys(await notesOf('cursor', 'cursor.json')), ['files']);
  });

  test('VS Code converts inputs to secrets', async () => {
    assert.deepEqual(await entriesOf('vscode', 'vscode.json'), {
      perplexity: {
        command: 'npx',
        args: ['-y', 'server-perplexity-ask', '--root=/project'],
        env: { PERPLEXITY_API_KEY: '${secret:PERPLEXITY_KEY}' },
      },
      fetch: { type: 'http', url: 'https://fetch.example.com/mcp' },
    });
    assert.deepEqual(await notesOf('vscode', 'vscode.json'), {
      perplexity: [
        'the variables of ${workspaceFolder}/.env are not read: name them in "env"',
        'asks for "perplexity-key": run signalbox secret set PERPLEXITY_KEY',
      ],
      fetch: ['not imported: gallery'],
    });
  });

  test('Copilot reads the allowed tools', async () => {
    assert.deepEqual(await entriesOf('vscode', 'copilot.json'), {
      playwright: { command: 'npx', args: ['@playwright/mcp@latest'] },
      tracker: {
        type: 'http',
        url: 'https://tracker.example.com/mcp',
        tools: { allow: ['search', 'read_issue'] },
      },
    });
  });

  test('Windsurf reads the disabled tools', async () => {
    assert.deepEqual(await entriesOf('windsurf', 'windsurf.json'), {
      figma: {
        type: 'http',
        url: 'https://figma.example.com/mcp',
        headers: { Authorization: 'Bearer ${env:FIGMA_TOKEN}' },
        tools: { deny: ['delete_file'] },
      },
      memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'], disabled: true },
    });
  });

  test('Zed reads the current and the older format', async () => {
    assert.deepEqual(await entriesOf('zed', 'zed.json'), {
      newer: { command: 'uvx', args: ['mcp-server-git'], env: { A: '1' }, disabled: true },
      older: { command: '/usr/bin/older-server', args: ['--stdio'], env: { OLDER_TOKEN: '${secret:OLDER_TOKEN}' } },
      remote: { type: 'http', url: 'https://zed.example.com/mcp', headers: { 'X-Team': 'blue' } },
    });
    const notes = await notesOf('zed', 'zed.json');
    assert.deepEqual(notes['mcp-server-postgres'], ['it comes with an extension of Zed']);
  });

  test('Gemini CLI reads the included and excluded tools', async () => {
    assert.deepEqual(await entriesOf('gemini', 'gemini.json'), {
      sheets: {
        type: 'http',
        url: 'https://sheets.example.com/mcp',
        headers: { Authorization: 'Bearer ${env:SHEETS_TOKEN}' },
        timeoutMs: 30_000,
        tools: { allow: ['read_range', 'list_sheets'] },
      },
      events: { type: 'sse', url: 'https://events.example.com/stream' },
      python: {
        command: 'python',
        args: ['-m', 'server', '--region', '${env:REGION}'],
        cwd: './server',
        tools: { deny: ['drop_table'] },
      },
      legacy: { command: 'legacy-server', disabled: true },
    });
    assert.deepEqual(await permissionsIn('gemini', 'gemini.json'), { sheets: [{ tool: '*', answer: 'allow' }] });
  });

  test('Codex reads the enabled and disabled tools', async () => {
    assert.deepEqual(await entriesOf('codex', 'codex.toml'), {
      context7: {
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        env: { LOCAL_TOKEN: '${env:LOCAL_TOKEN}', REMOTE_TOKEN: '${env:REMOTE_TOKEN}', MODE: 'fast' },
        timeoutMs: 45_500,
        tools: { allow: ['resolve-library-id', 'query-docs'], deny: ['query-docs'] },
      },
      figma: {
        type: 'http',
        url: 'https://mcp.figma.com/mcp',
        headers: { 'X-Figma-Region': 'us-east-1', 'X-Trace': '${env:TRACE_ID}' },
        auth: { type: 'bearer', token: '${env:FIGMA_OAUTH_TOKEN}' },
        disabled: true,
      },
    });
    assert.deepEqual(await notesOf('codex', 'codex.toml'), {});
    assert.deepEqual(await permissionsIn('codex', 'codex.toml'), {
      context7: [{ tool: 'query-docs', answer: 'allow' }],
    });
    const modes =
      '[mcp_servers.x]\ncommand = "x"\ndefault_tools_approval_mode = "prompt"\n[mcp_servers.x.tools.a]\napproval_mode = "auto"';
    const [asked] = (await read('codex', modes)).servers;
    assert.deepEqual([asked?.permissions, asked?.notes], [[{ tool: '*', answer: 'ask' }], []]);
    const { servers } = await read('codex', readFileSync(join(fixtures, 'codex.toml'), 'utf8'));
    assert.deepEqual(
      servers.map(({ line }) => line),
      [3, 18],
    );
  });

  test('Goose reads the available tools', async () => {
    assert.deepEqual(await entriesOf('goose', 'goose.yaml'), {
      github: {
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: {
          GITHUB_PERSONAL_ACCESS_TOKEN: '${env:GITHUB_PERSONAL_ACCESS_TOKEN}',
          GITHUB_HOST: 'github.example.com',
        },
        timeoutMs: 300_000,
        tools: { allow: ['list_issues', 'get_issue'] },
      },
      search: {
        type: 'http',
        url: 'https://search.example.com/mcp',
        headers: { Authorization: 'Bearer ${secret:SEARCH_TOKEN}' },
        disabled: true,
      },
    });
    const { servers, skipped } = await read('goose', readFileSync(join(fixtures, 'goose.yaml'), 'utf8'));
    assert.deepEqual(skipped, [{ name: 'developer', line: 3, reason: 'it is part of Goose (builtin)' }]);
    assert.deepEqual(
      servers.map(({ line }) => line),
      [9, 21],
    );
  });

  test('opencode reads the disabled tools', async () => {
    assert.deepEqual(await entriesOf('opencode', 'opencode.jsonc'), {
      sentry: {
        type: 'http',
        url: 'https://mcp.sentry.dev/mcp',
        headers: { Authorization: 'Bearer ${env:SENTRY_TOKEN}' },
        tools: { deny: ['delete_*'] },
      },
      local: {
        command: 'bun',
        args: ['x', 'my-mcp'],
        env: { MY_KEY: '${env:MY_KEY}', PLAIN: '1' },
        disabled: true,
      },
    });
    assert.deepEqual((await notesOf('opencode', 'opencode.jsonc'))['local'], [
      'the content of ~/.secrets/key is not copied: set the environment variable MY_KEY',
    ]);
  });
});

suite('an invalid file', () => {
  const broken: Readonly<Record<string, string>> = {
    codex: '# fine\n[mcp_servers.a]\ncommand = \n',
    goose: 'extensions:\n  a: {\n',
  };
  for (const { id, title } of clients) {
    test(`of ${title} is reported with its line`, async () => {
      const { servers, problems } = await read(id, broken[id] ?? '{\n  "mcpServers": {\n    "a": oops\n  }\n}');
      assert.deepEqual([servers, problems.length], [[], 1]);
      assert.ok((problems[0]?.line ?? 0) >= 2, String(problems[0]?.line));
      assert.notEqual(problems[0]?.message, '');
    });

    test(`of ${title} never makes its reader throw`, async () => {
      const client = clients.find((each) => each.id === id);
      const readText = await client?.load();
      const context = { file: 'x', home: '/h', directory: '/p', secrets: new ImportedSecrets() };
      const keys = fc.constantFrom(
        ...'mcpServers servers mcp context_servers mcp_servers extensions projects tools command args env environment url httpUrl serverUrl uri cmd headers type enabled env_vars'.split(
          ' ',
        ),
      );
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.jsonValue({ maxDepth: 1 }),
          fc.array(tie('tree'), { maxLength: 2 }),
          fc.dictionary(fc.oneof(keys, fc.string()), tie('tree'), { maxKeys: 4 }),
        ),
      }));
      fc.assert(
        fc.property(
          fc.oneof(
            fc.string(),
            tree.map((value) => JSON.stringify(value)),
          ),
          (text) => {
            const reading = readText?.(text, context);
            assert.ok(Array.isArray(reading?.servers) && Array.isArray(reading.problems));
          },
        ),
        { numRuns: 300 },
      );
    });
  }

  test('with an alias bomb in YAML is reported as a problem', async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(9)}]`,
    );
    const { problems } = await read('goose', ['l0: &l0 [1]', ...levels, 'extensions: *l12'].join('\n'));
    assert.equal(problems.length, 1);
  });

  test('with unusable entries skips them with the reason, and reads the others', async () => {
    const text = JSON.stringify({
      mcpServers: {
        text: 'x',
        empty: {},
        socket: { type: 'ws', url: 'wss://x' },
        file: { url: 'file:///etc/passwd' },
        self: { command: 'npx', args: ['-y', 'signalbox', 'stdio'] },
        connected: { url: 'http://127.0.0.1:4242/mcp', headers: { Authorization: 'Bearer sbx_1m7_planted' } },
        good: { command: 'good' },
      },
    });
    const { servers, skipped } = await read('claude-desktop', text);
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['good'],
    );
    assert.deepEqual(
      skipped.map(({ name, reason }) => `${name}: ${reason}`),
      [
        'text: it is not an object',
        'empty: it has neither a command nor an address',
        'socket: WebSocket is not supported',
        'file: its address is not http or https',
        'self: it is Signalbox itself',
        'connected: it is Signalbox itself',
      ],
    );
  });
});
