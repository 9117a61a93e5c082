import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { type CliResult, CliProject, waitForExit, notesModule, onTerminal, waitForOutput } from './cli-project.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'clients');
const name = 'signalbox.config.json';

/** A project with its own home directory. */
class ProjectWithHome extends CliProject {
  readonly home = join(this.directory, 'home');
  readonly environment = { HOME: this.home, USERPROFILE: this.home, APPDATA: join(this.home, '.config') };

  /** Copies fixtures to where their clients store them. */
  put(files: Readonly<Record<string, string>>): this {
    mkdirSync(this.home, { recursive: true });
    for (const [path, fixture] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, path)), { recursive: true });
      const text = readFileSync(join(fixtures, fixture), 'utf8').replace('"/project"', JSON.stringify(this.directory));
      writeFileSync(join(this.directory, path), text);
    }
    return this;
  }

  cli(...args: string[]): Promise<CliResult> {
    return this.run(args, { environment: this.environment });
  }

  async cliJson(code: number, ...args: string[]): Promise<Record<string, unknown>> {
    const { code: actual, stdout, stderr } = await this.cli(...args, '--json');
    assert.equal(actual, code, stderr);
    return JSON.parse(code === 2 ? stderr : stdout) as Record<string, unknown>;
  }

  text(): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }
}

const everything = {
  '.mcp.json': 'claude-code.mcp.json',
  'home/.claude.json': 'claude-code.user.json',
  'home/.config/Claude/claude_desktop_config.json': 'claude-desktop.json',
  'home/Library/Application Support/Claude/claude_desktop_config.json': 'claude-desktop.json',
  '.cursor/mcp.json': 'cursor.json',
  '.vscode/mcp.json': 'vscode.json',
  'home/.copilot/mcp-config.json': 'copilot.json',
  'home/.codeium/windsurf/mcp_config.json': 'windsurf.json',
  'home/.config/zed/settings.json': 'zed.json',
  'home/.gemini/settings.json': 'gemini.json',
  'home/.codex/config.toml': 'codex.toml',
  'home/.config/goose/config.yaml': 'goose.yaml',
  'opencode.jsonc': 'opencode.jsonc',
};

suite('init', () => {
  test('writes a working configuration with comments, and its schema; never overwrites one', async () => {
    const project = new ProjectWithHome();
    const { code, stdout } = await project.cli('init');
    assert.equal(code, 0);
    assert.match(stdout, /^wrote signalbox\.config\.json, and signalbox\.schema\.json for editors\n/);
    assert.match(project.text(), /^ +\/\/ "notes": \{ "module": "\.\/notes\.ts" \}/m);
    assert.match(project.text(), /"\$schema": "\.\/signalbox\.schema\.json"/);
    assert.ok(
      'properties' in (JSON.parse(readFileSync(join(project.directory, 'signalbox.schema.json'), 'utf8')) as object),
    );
    assert.equal((await project.cli('tools')).code, 0);

    const before = project.text();
    const again = await project.cli('init');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /configuration-exists: .*signalbox\.config\.json already exists; nothing was written/);
    assert.equal(project.text(), before);

    const added = await project.cli('add', 'notes', '--no-check', '--module', 'notes.ts');
    assert.deepEqual([added.code, added.stdout], [0, 'added "notes" (module): signalbox.config.json:11\n']);
    assert.ok(project.text().startsWith(before.slice(0, before.lastIndexOf('  }'))), 'every comment stays');
  });
});

suite('add, disable, enable, remove', () => {
  test('add writes servers of each kind, and creates the file for the first', async () => {
    const project = new ProjectWithHome({ 'notes.ts': notesModule });
    const program = ['npx', '-y', 'server', '--json', '.'];
    const first = await project.cli('add', 'files', '--no-check', '--env', 'LEVEL=debug', '--', ...program);
    assert.deepEqual(first, {
      code: 0,
      stdout: 'added "files" (stdio): signalbox.config.json:3 (a new file)\n',
      stderr: '',
    });
    for (const args of [
      ['remote', '--url', 'https://x.example/mcp', '--header', 'Authorization=Bearer ${env:X}'],
      ['old', '--url', 'https://x.example/sse', '--type', 'sse'],
      ['memory', '--npm', '@modelcontextprotocol/server-memory@2026.8.31'],
      ['short', 'npm:@modelcontextprotocol/server-memory@2026.8.31'],
      ['notes', '--module', './notes.ts'],
    ]) {
      const { code, stderr } = await project.cli('add', '--no-check', ...args);
      assert.deepEqual([code, stderr], [0, '']);
    }
    assert.deepEqual(JSON.parse(project.text()), {
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'server', '--json', '.'], env: { LEVEL: 'debug' } },
        remote: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${env:X}' } },
        old: { type: 'sse', url: 'https://x.example/sse' },
        memory: { npm: '@modelcontextprotocol/server-memory@2026.8.31' },
        short: { npm: '@modelcontextprotocol/server-memory@2026.8.31' },
        notes: { module: './notes.ts' },
      },
    });
    assert.deepEqual(
      readdirSync(project.directory).filter((each) => each.endsWith('.tmp')),
      [],
    );
  });

  test('add stores a value that looks like a secret as given, with a warning and the better alternative', async () => {
    const project = new ProjectWithHome();
    const { code, stderr } = await project.cli('add', 'a', '--no-check', '--env', 'GITHUB_TOKEN=abc', '--', 'x');
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^warning: the value of GITHUB_TOKEN looks like a secret .*'GITHUB_TOKEN=\$\{secret:GITHUB_TOKEN\}'$/m,
    );
    assert.doesNotMatch(stderr, /abc/);
    assert.match(project.text(), /"GITHUB_TOKEN": "abc"/);
    const referred = ['--env', 'GITHUB_TOKEN=${env:T}', '--', 'x'];
    assert.deepEqual((await project.cli('add', 'b', '--no-check', ...referred)).stderr, '');
  });

  test('invalid use changes nothing and is reported with the correct use', async () => {
    const project = new ProjectWithHome({ [name]: '{ "mcpServers": { "files": { "npm": "x@1" } } }' });
    const before = project.text();
    for (const [args, expected] of [
      [
        ['add', 'files', '--npm', 'y@1'],
        /server-exists: the configuration already has a server "files": signalbox\.config\.json:1/,
      ],
      [['add', 'a__b', '--npm', 'y@1'], /name-invalid: server name "a__b" has "__"/],
      [['add', 'signalbox', '--npm', 'y@1'], /the name belongs to the built-in server/],
      [['add', 'x'], /name a command, an address, a package or a module/],
      [['add', 'x', '--npm', 'y@1', '--url', 'https://x'], /only one of these/],
      [['add', 'x', '--url', 'ftp://x'], /not an http or https address/],
      [['add', 'x', '--env', 'oops', '--', 'y'], /--env takes NAME=VALUE/],
      [['add', 'x', '--effect', 'oops', '--', 'y'], /--effect takes TOOL=EFFECT/],
      [['add', 'x', '--effect', 'a=raed', '--', 'y'], /unknown effect "raed"\n +did you mean "read"\?/],
      [['remove', 'fils'], /server-unknown: .* has no server "fils"\n +did you mean "files"\?/],
      [['disable', 'nothing-like-it'], /server-unknown/],
    ] as const) {
      const { code, stderr } = await project.cli(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, expected);
      assert.equal(project.text(), before);
    }
    assert.equal((await new ProjectWithHome().cli('remove', 'x')).code, 2);
    const empty = new ProjectWithHome();
    assert.equal((await empty.cli('add', 'a__b', '--npm', 'y@1')).code, 2);
    assert.equal(existsSync(join(empty.directory, name)), false, 'no file is created for a rejected server');
  });

  test('disable and enable change one entry and keep every comment; remove deletes the entry', async () => {
    const text =
      '{\n  // mine\n  "mcpServers": {\n    "notes": { "module": "./notes.ts" }, // these\n    "b": { "npm": "x@1", "disabled": true }\n  }\n}\n';
    const project = new ProjectWithHome({ 'notes.ts': notesModule, [name]: text });
    const file = join(project.directory, name);
    assert.deepEqual(await project.cliJson(0, 'disable', 'notes'), {
      action: 'disabled',
      server: 'notes',
      file,
      line: 4,
      created: false,
      warnings: [],
    });
    assert.equal(project.text(), text.replace('notes.ts" }', 'notes.ts", "disabled": true }'));
    const { servers } = await project.cliJson(0, 'tools', '--why');
    assert.match(JSON.stringify(servers), /"notes".*?"status":"disabled"/);
    assert.equal((await project.cliJson(0, 'disable', 'notes'))['action'], 'unchanged');
    assert.equal((await project.cli('enable', 'notes')).stdout, 'enabled "notes": signalbox.config.json:4\n');
    assert.equal(project.text(), text);
    assert.equal((await project.cli('remove', 'notes')).stdout, 'removed "notes": signalbox.config.json:4\n');
    assert.equal(project.text(), text.replace('    "notes": { "module": "./notes.ts" }, // these\n', ''));
  });
});

suite('import', () => {
  test('imports the servers of every client once, without their secrets and without touching their files', async () => {
    const project = new ProjectWithHome().put(everything);
    const before = Object.keys(everything).map((path) => readFileSync(join(project.directory, path), 'utf8'));
    const dry = await project.cli('import', '--dry-run');
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /^NAME +FROM +TRANSPORT +NOTES\n/);
    assert.match(dry.stdout, /^files +Claude Code +stdio npx +NODE_OPTIONS is not copied/m);
    assert.match(dry.stdout, /^files-cursor +Cursor +stdio node +"files" is called "files-cursor" here$/m);
    assert.match(dry.stdout, /^my-notes +Claude Code +stdio notes +"my notes" is called "my-notes" here$/m);
    assert.match(dry.stdout, /^tracker +VS Code +http tracker\.example\.com$/m);
    assert.match(
      dry.stdout,
      /^skipped +developer: it is part of Goose \(builtin\) \(home\/\.config\/goose\/config\.yaml:3\)$/m,
    );
    assert.match(dry.stdout, /nothing was written\n$/);
    assert.equal(existsSync(join(project.directory, name)), false);

    const { taken, written, secrets } = (await project.cliJson(0, 'import', '--yes')) as {
      taken: { name: string; origins: { client: { id: string } }[] }[];
      written: boolean;
      secrets: string[];
    };
    assert.equal(written, true);
    assert.deepEqual(
      new Set(taken.flatMap(({ origins }) => origins.map(({ client }) => client.id))),
      new Set([
        'claude-code',
        'claude-desktop',
        'cursor',
        'vscode',
        'windsurf',
        'zed',
        'gemini',
        'codex',
        'goose',
        'opencode',
      ]),
    );
    const { mcpServers } = JSON.parse(project.text()) as { mcpServers: Record<string, Record<string, unknown>> };
    assert.deepEqual(
      Object.keys(mcpServers),
      taken.map((server) => server.name),
    );
    assert.deepEqual(mcpServers['sheets']?.['tools'], { allow: ['read_range', 'list_sheets'] });
    assert.deepEqual(mcpServers['context7']?.['tools'], {
      allow: ['resolve-library-id', 'query-docs'],
      deny: ['query-docs'],
    });
    assert.doesNotMatch(project.text(), /literal|hunter2|NODE_OPTIONS/);
    const { items } = (await project.cliJson(0, 'secret', 'list')) as { items: { name: string }[] };
    const stored = items.map((item) => item.name);
    assert.deepEqual(stored, secrets.toSorted());
    for (const secret of stored) assert.ok(project.text().includes(`\${secret:${secret}}`), secret);
    assert.ok(
      stored.includes('BRAVE_API_KEY') && !stored.includes('PERPLEXITY_KEY'),
      'inputs of VS Code have no value',
    );
    for (const file of readdirSync(join(project.data, 'secrets')))
      assert.doesNotMatch(readFileSync(join(project.data, 'secrets', file), 'latin1'), /literal|hunter2/);
    assert.deepEqual(
      Object.keys(everything).map((path) => readFileSync(join(project.directory, path), 'utf8')),
      before,
    );

    const again = await project.cli('import', '--yes');
    assert.equal(again.code, 0);
    assert.match(again.stdout, /^kept +files: the configuration has it already \(Claude Code\)$/m);
    assert.match(again.stdout, /nothing new to import\n$/);
  });

  test('keeps the entries and comments of the configuration, and imports only from the named clients', async () => {
    const text = '{\n  // mine\n  "mcpServers": {\n    "files": { "npm": "x@1" } // keep\n  }\n}\n';
    const project = new ProjectWithHome({ [name]: text }).put(everything);
    const { stdout } = await project.cli('import', '--yes', '--from', 'claude-code', 'windsurf');
    assert.match(stdout, /added 5 servers to .*signalbox\.config\.json, and stored 1 secret encrypted\n$/);
    assert.ok(project.text().startsWith(text.slice(0, text.indexOf(' // keep'))));
    assert.match(project.text(), /\/\/ mine/);
    assert.match(project.text(), /"npm": "x@1" \}, \/\/ keep/);
    const { stderr, code } = await project.cli('import', '--from', 'curser');
    assert.equal(code, 2);
    assert.match(stderr, /unknown client "curser"; did you mean "cursor"\?/);
  });

  test('reports a broken file with its line and skips it; without a terminal, --yes is required', async () => {
    const project = new ProjectWithHome().put({ '.mcp.json': 'claude-code.mcp.json' });
    mkdirSync(join(project.directory, '.cursor'));
    writeFileSync(join(project.directory, '.cursor', 'mcp.json'), '{\n  "mcpServers": oops\n}');
    const { code, stdout, stderr } = await project.cli('import');
    assert.equal(code, 2);
    assert.match(stdout, /^broken +\.cursor\/mcp\.json:2: expected /m);
    assert.match(stderr, /cannot ask for confirmation: [^\n]*\n +next: signalbox import --yes/);
    assert.equal(existsSync(join(project.directory, name)), false);
    assert.match((await new ProjectWithHome().cli('import')).stdout, /^no servers of other clients found\n$/);
  });

  test('hides tools that a client forbids, proposes a policy for those that it allows, and writes it on request', async () => {
    const files = {
      '.mcp.json': 'claude-code.mcp.json',
      'home/.claude.json': 'claude-code.user.json',
      '.claude/settings.json': 'claude-code.settings.json',
      'home/.gemini/settings.json': 'gemini.json',
    };
    const shown = new ProjectWithHome().put(files);
    const { stdout } = await shown.cli('import', '--yes');
    assert.match(
      stdout,
      /^# Claude Code always asks\n- id: imported-files-write-file\n {2}match: "mcp__files__write_file"\n {2}ask: "true"$/m,
    );
    assert.match(stdout, /match: "mcp__my-notes__\*"\n {2}allow: "true"$/m);
    assert.match(stdout, /match: "mcp__sheets__\*"\n {2}allow: "true"$/m);
    assert.match(stdout, /5 rules not written to .*policies\.yaml: copy the rules that you want from above\n$/);
    assert.equal(existsSync(join(shown.directory, 'policies.yaml')), false, '--yes does not imply --policies');
    const { mcpServers } = JSON.parse(shown.text()) as { mcpServers: Record<string, Record<string, unknown>> };
    assert.deepEqual(mcpServers['files']?.['tools'], { deny: ['move_file'] });
    assert.equal(mcpServers['weather']?.['disabled'], true);

    const written = new ProjectWithHome().put(files);
    const { policies } = (await written.cliJson(0, 'import', '--yes', '--policies')) as {
      policies: { written: boolean; rules: { match: string }[] };
    };
    assert.deepEqual([policies.written, policies.rules.length], [true, 5]);
    const text = readFileSync(join(written.directory, 'policies.yaml'), 'utf8');
    assert.match((await written.cli('policy', 'check')).stdout, /^ok 5 rules/, 'the configuration follows them');
    assert.deepEqual(
      (parse(text) as { match: string }[]).map(({ match }) => match),
      policies.rules.map(({ match }) => match),
    );

    const existing = new ProjectWithHome({ 'policies.yaml': '# mine\n' }).put(files);
    assert.match(
      (await existing.cli('import', '--yes', '--policies')).stdout,
      /policies\.yaml, which is there already/,
    );
    assert.equal(readFileSync(join(existing.directory, 'policies.yaml'), 'utf8'), '# mine\n');
  });

  for (const [key, isWritten] of [
    ['y\r', true],
    ['\r', false],
    ['\u0003', false],
  ] as const) {
    test(
      `on a terminal, asks, and ${JSON.stringify(key)} ${isWritten ? 'writes' : 'does not write'}`,
      onTerminal,
      async () => {
        const project = new ProjectWithHome().put({ '.mcp.json': 'claude-code.mcp.json' });
        const prompt = /Add 2 servers to .*signalbox\.config\.json\? \[y\/N\] /;
        const { code, stdout } = await project.dialogue(['import'], [[prompt, key]], project.environment);
        assert.equal(code, 0, stdout);
        assert.equal(existsSync(join(project.directory, name)), isWritten);
      },
    );
  }
});

suite('serve', () => {
  for (const [files, expected] of [
    [
      { '.mcp.json': 'claude-code.mcp.json', '.cursor/mcp.json': 'cursor.json' },
      /Found +5 MCP servers in Claude Code, Cursor +→ +signalbox import/,
    ],
    [{}, /^(?![^]*Found)/],
  ] as const) {
    const count = Object.keys(files).length;
    test(`prints ${count === 0 ? 'no hint to import' : 'the servers to import'} with ${count} files of other clients`, async () => {
      const project = new ProjectWithHome().put(files);
      const child = project.start(['serve', '--port', '0'], project.environment);
      const ended = waitForExit(child);
      const printed = await waitForOutput(child.stdout, /Policy/);
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      assert.match(printed, expected);
    });
  }
});
