import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { type Attempt, GuardedBox } from '../support/boxes/guarded-box.ts';

const write = 'mcp__files__write_file';
const guarded = await GuardedBox.open({ after });

/** Asserts that the call requested approval, with the file and its role in the reason. */
function assertAsked({ outcome, requests }: Attempt, reason: RegExp, label: string): void {
  assert.deepEqual([outcome, requests.length], ['denied', 1], label);
  assert.equal(requests[0]?.decision.rule, 'default:protected-file', label);
  assert.match(requests[0]?.decision.reason ?? '', reason, label);
}

function assertRan({ outcome, reason, requests }: Attempt, label: string): void {
  assert.deepEqual([outcome, requests.length], ['completed', 0], `${label}: ${reason}`);
}

suite('write to a protected file under a rule that allows everything', () => {
  const files: Readonly<Record<string, RegExp>> = {
    'signalbox.config.json':
      /signalbox\.config\.json is (?:a|the) configuration of Signalbox; .*each such call needs its own approval/s,
    'signalbox.config.jsonc': /is (?:a|the) configuration of Signalbox/,
    'src/deep/signalbox.config.json': /is (?:a|the) configuration of Signalbox/,
    '../signalbox.config.jsonc': /is (?:a|the) configuration of Signalbox/,
    'signalbox.lock': /signalbox\.lock is the lock of accepted tool definitions/,
    'rules/policies.yaml': /policies\.yaml is a policy file/,
    'tools/notes.mjs': /notes\.mjs is the tool module of server "notes"/,
    'tools/name.mjs': /name\.mjs is a file of a tool module/,
    'scripts/server.mjs': /server\.mjs is code that server "files" is started from/,
    '.mcp.json': /\.mcp\.json is a list of servers that Claude Code starts/,
    '.claude/settings.local.json': /is a file that Claude Code reads settings or hooks from/,
    '.claude/hooks/before.sh': /is a file that Claude Code reads settings or hooks from/,
  };

  test('asks for tools of an MCP filesystem server', async () => {
    const { project } = guarded;
    for (const [name, reason] of Object.entries(files)) {
      assertAsked(await guarded.call(write, { path: join(project, name), content: '{}' }), reason, name);
      const edits = [{ oldText: 'a', newText: 'b' }];
      assertAsked(await guarded.call('mcp__files__edit_file', { path: join(project, name), edits }), reason, name);
      const moved = { source: join(project, 'src/a.txt'), destination: join(project, name) };
      assertAsked(await guarded.call('mcp__files__move_file', moved), reason, name);
    }
    for (const name of ['src/b.txt', 'src/my-signalbox.config.json.txt', '.claude/commands/x.md', 'rules.yaml']) {
      mkdirSync(join(project, name, '..'), { recursive: true });
      assertRan(await guarded.call(write, { path: join(project, name), content: 'see signalbox.config.json\n' }), name);
    }
    const path = join(project, 'signalbox.config.json');
    assertRan(await guarded.call('mcp__files__read_text_file', { path }), 'a read');
  });

  test('asks for tools of Claude, in every permission mode', async () => {
    for (const [name, reason] of Object.entries(files)) {
      for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        const input = { file_path: name, old_string: 'a', new_string: 'b' };
        assertAsked(await guarded.claude('Edit', input, mode), reason, `${name} in ${mode}`);
      }
    }
    const input = { file_path: 'signalbox.config.json', content: '{}' };
    const never = await guarded.claude('Write', input, 'dontAsk');
    assert.deepEqual([never.outcome, never.requests.length], ['denied', 0]);
    for (const tool of ['Write', 'MultiEdit']) assertAsked(await guarded.claude(tool, input), /configuration/, tool);
    const notebook = { notebook_path: join(guarded.project, 'tools/notes.mjs') };
    assertAsked(await guarded.claude('NotebookEdit', notebook), /tool module/, 'NotebookEdit');
    assertRan(await guarded.claude('Edit', { file_path: 'src/a.txt' }), 'an ordinary edit');
    assertRan(await guarded.claude('Read', { file_path: 'signalbox.config.json' }), 'a read');
  });

  test('asks for a command or a patch that names the file', async () => {
    const commands = [
      'echo {} > signalbox.config.json',
      'echo {}>signalbox.config.json',
      "sed -i s/ask/allow/ 'rules/policies.yaml'",
      'echo x | tee -a tools/notes.mjs',
      'mv src/a.txt ./tools/../tools/notes.mjs',
      'cp src/a.txt signal"box".config.json',
      'cd rules && cp ../src/a.txt policies.yaml',
      'dd if=src/a.txt of=signalbox.lock',
      `rm ${guarded.project}/scripts/server.mjs`,
      'cat src/a.txt >> "$HOME/.claude/settings.json"',
      'mv rules old',
    ];
    for (const command of commands) {
      assertAsked(await guarded.claude('Bash', { command }), /is (?:a|the|code)/, command);
      assertAsked(await guarded.call('mcp__notes__run', { command }), /is (?:a|the|code)/, command);
    }
    const patch = '*** Begin Patch\n*** Update File: rules/policies.yaml\n@@\n-a\n+b\n*** End Patch';
    assertAsked(await guarded.call('mcp__notes__run', { patch }), /a policy file/, patch);
    assertRan(await guarded.claude('Bash', { command: 'npm test && git status' }), 'an ordinary command');
  });

  test('asks for arguments of any name and shape of a local tool', async () => {
    const { project } = guarded;
    const shapes = [
      { whatever: 'rules/policies.yaml' },
      { nested: [{ deep: { target: join(project, 'rules/policies.yaml') } }] },
      { files: { 'rules/policies.yaml': '[]' } },
      { directory: join(project, 'rules'), name: 'policies.yaml' },
      { uri: `file://${project}/rules/policies.yaml` },
      { uri: `file://localhost${project}/rules/%70olicies.yaml` },
      { path: ` ${join(project, 'rules/policies.yaml')}\n` },
      { path: 'rules/none/../policies.yaml' },
      { path: String.raw`rules\policies.yaml` },
      { path: '../rules/policies.yaml' },
      { path: 'rules' },
    ];
    for (const args of shapes)
      assertAsked(await guarded.call('mcp__notes__write', args), /a policy file/, JSON.stringify(args));
    const padded = { texts: Array.from({ length: 6000 }, (_, index) => `text ${index}`) };
    assertAsked(
      await guarded.call('mcp__notes__write', padded),
      /too much text to check for protected files/,
      'more strings than are checked',
    );
  });
});

suite('protected file named inside a longer text', () => {
  test('is recognized in queries, JSON, options, URLs, patches and commands, under any key', async () => {
    const { project } = guarded;
    const policies = join(project, 'rules/policies.yaml');
    const texts = [
      `ATTACH DATABASE '${policies}' AS x`,
      `COPY t TO 'rules/policies.yaml'`,
      `{"path":"rules/policies.yaml","text":"[]"}`,
      JSON.stringify({ path: policies }).replaceAll('/', String.raw`\/`),
      String.raw`{"path":"rules\u002fpolicies\x2eyaml"}`,
      `["a", "${policies}"]`,
      `@${policies}`,
      `-o${policies}`,
      '-orules/policies.yaml',
      `--output=${policies}`,
      `sqlite://${policies}?mode=rwc`,
      `dbname=${policies} mode=rwc`,
      `file:rules/%70olicies.yaml x`,
      '*** Begin Patch\n*** Update File: rules/policies.yaml\n@@\n-a\n+b\n*** End Patch',
      'cd rules && cp ../src/a.txt policies.yaml',
      'echo [] > rules/pol"icies".yaml',
      'echo [] > rules/ｐolicies.yaml',
      'echo [] > rules/poli\u00adcies.yaml',
    ];
    for (const [index, text] of texts.entries()) {
      const key = ['script', 'input', 'cmd', 'code', 'cmdline', 'text', 'query'][index % 7] ?? '';
      assertAsked(await guarded.call('mcp__notes__run', { [key]: text }), /a policy file/, `${key}: ${text}`);
    }
    const named = ['see x; echo {} > signalbox.config.json', "UPDATE f SET p = '.claude/settings.json'", 'x:.mcp.json'];
    for (const text of named)
      assertAsked(await guarded.call('mcp__notes__run', { text }), /is a .*(?:Signalbox|Claude)/, text);
  });

  test('is recognized when its directory is moved or removed, not when it is copied', async () => {
    const { project } = guarded;
    for (const text of [`cp -r . ${project}-copy`, `cd ${project} && rm -f src/a.txt`, `mv src/a.txt ${project}`])
      assertRan(await guarded.call('mcp__notes__run', { text }), text);
    const moves = [
      'mv rules old',
      'rm -rf .',
      `mv ${project} /tmp/elsewhere`,
      'cd .. && sudo mv project other',
      'git rm -r tools',
      'true; /bin/rm -r ../project',
      'mv -t /elsewhere rules',
    ];
    for (const text of moves) assertAsked(await guarded.call('mcp__notes__run', { text }), /is (?:a|the|code)/, text);
    const renamed = { source: project, destination: `${project}-old` };
    assertAsked(await guarded.call('mcp__files__move_file', renamed), /is (?:a|the|code)/, 'a rename of the directory');
    const into = { source: join(project, 'src/none.txt'), destination: project };
    assert.equal((await guarded.call('mcp__files__move_file', into)).requests.length, 0, 'a move into the directory');
  });

  test('is ignored in the text of a document', async () => {
    const text = 'See `signalbox.config.json`, rules/policies.yaml and ~/.claude/settings.json.\nmv rules old\n';
    const path = join(guarded.project, 'src/README.md');
    assertRan(await guarded.call(write, { path, content: text }), 'a new document');
    const edits = [{ oldText: 'See', newText: text }];
    assertRan(await guarded.call('mcp__files__edit_file', { path, edits }), 'an edit');
    assertRan(await guarded.claude('Write', { file_path: path, content: text }), 'Write');
    assertRan(await guarded.claude('Edit', { file_path: path, old_string: text, new_string: text }), 'Edit');
    assertRan(await guarded.call('mcp__notes__write', { message: text }), 'a commit message');
    assertRan(await guarded.call('mcp__notes__read', { query: text }), 'a search');
    assertRan(await guarded.call('mcp__notes__run', { text: 'The rules of the tools are in src.' }), 'other words');
  });
});

suite('protected file under an alias', () => {
  const names: Readonly<Record<string, (project: string) => string>> = {
    'a symlink': (project) => createLink(project, (path) => symlinkSync('rules/policies.yaml', path)),
    'a symlink to its directory': (project) =>
      `${createLink(project, (path) => symlinkSync('rules', path))}/policies.yaml`,
    'a dangling symlink': (project) => createLink(project, (path) => symlinkSync('src/../signalbox.lock', path)),
    'a hard link': (project) => createLink(project, (path) => linkSync(join(project, 'rules/policies.yaml'), path)),
    'another case': (project) => join(project, 'SIGNALBOX.Config.JSON'),
    'letters that fold to its own': (project) => join(project, 'ſignalbox.config.json'),
    'ignorable characters': (project) => join(project, 'signalbox\u200c.config.json'),
    'characters that Linux ignores where it ignores case': (project) =>
      join(project, 'sig\u00adnal\u200bbox\u2060.con\ufe0ffig.json'),
    'a trailing dot and space': (project) => join(project, 'signalbox.config.json. '),
    'the name of a stream': (project) => join(project, 'signalbox.config.json::$DATA'),
    'the root of a process': (project) => `/proc/self/root${project}/rules/policies.yaml`,
    'the working directory of a process': () => '/proc/1/cwd/rules/policies.yaml',
  };
  for (const [label, name] of Object.entries(names))
    test(`is recognized through ${label}`, async () => {
      const path = name(guarded.project);
      assertAsked(await guarded.call(write, { path, content: '{}' }), /policies\.yaml|signalbox/, label);
      assertAsked(
        await guarded.claude('Write', { file_path: path, content: '{}' }),
        /policies\.yaml|signalbox/i,
        label,
      );
    });
});

suite('code of a server that its entry names indirectly', () => {
  const stub = 'process.stdin.resume();\n';
  const manifest = (more: object): string => JSON.stringify({ name: 'x', version: '1.0.0', ...more });
  const tool =
    "export default [{ name: 'x', description: 'x', effect: 'read', input: { type: 'object' }, run: () => value }];";

  test('is protected: by a directory, a name without extension, a variable, an npm package or an import', async (t) => {
    const box = await GuardedBox.open(t, {
      servers: {
        directory: { command: 'node', args: ['./srv'] },
        extension: { command: 'node', args: ['start'], env: { NODE_OPTIONS: '--require ./hook', BASH_ENV: './env' } },
        package: { npm: '@scope/server@1.0.0' },
        local: { module: './lib/module.mjs' },
      },
      more: {
        'srv/package.json': manifest({ main: 'main' }),
        'srv/main.js': stub,
        'start.js': stub,
        'hook.js': '',
        'node_modules/@scope/server/package.json': manifest({ bin: 'run.js' }),
        'node_modules/@scope/server/run.js': `#!/usr/bin/env node\n${stub}`,
        'node_modules/bare/package.json': manifest({ main: 'index.cjs' }),
        'node_modules/bare/index.cjs': "module.exports = { value: require('nested') };",
        'node_modules/nested/package.json': manifest({ main: 'index.cjs' }),
        'node_modules/nested/index.cjs': 'module.exports = 1;',
        'lib/module.mjs': `import { value } from 'bare';\n${tool}\n`,
      },
    });
    const files = [
      'srv/main.js',
      'srv/package.json',
      'srv/new/file.js',
      'start.js',
      'start',
      'hook.js',
      'env',
      'node_modules/@scope/server/run.js',
      'node_modules/@scope/server/package.json',
      '.npmrc',
      'node_modules/bare/index.cjs',
      'node_modules/bare/package.json',
      'node_modules/nested/index.cjs',
    ];
    for (const name of files) {
      const path = join(box.project, name);
      assertAsked(
        await box.call(write, { path, content: '' }),
        /is (?:code that server|a package of a tool module)/,
        name,
      );
    }
    for (const name of ['src/main.js', 'node_modules/other', 'package.json', 'srv.txt'])
      assertRan(await box.call(write, { path: join(box.project, name), content: '{}' }), name);
  });
});

suite('approval of a write to a protected file', () => {
  test('covers one call, cannot be remembered, and does not override a deny rule', async (t) => {
    const approving = await GuardedBox.open(t, { answer: 'yes' });
    const path = join(approving.project, 'rules/policies.yaml');
    const args = { path, content: readFileSync(path, 'utf8') };
    for (let round = 1; round <= 2; round += 1) {
      const { outcome, requests } = await approving.call(write, args);
      assert.deepEqual([outcome, requests.length], ['completed', 1], `round ${round}`);
    }
    const pending = approving.box.call(write, { path, content: '[]' }, { waitMs: 0, session: 's' });
    assert.ok(['completed', 'awaiting-approval'].includes((await pending).outcome));
    const [approval] = await approving.box.approvals.list({ all: true });
    assert.ok(approval !== undefined);
    for (const scope of ['session', 'arguments', 'tool', 'server'] as const)
      await assert.rejects(approving.box.approvals.preview(approval.id, scope, { id: 'ann', kind: 'human' }), {
        code: 'remember-refused',
        message: /policies\.yaml, which is protected: each such call needs its own approval/,
      });
    await approving.box.policies.set([{ id: 'never', match: 'mcp__files__*', deny: true }]);
    const denied = await approving.call(write, args);
    assert.deepEqual([denied.outcome, denied.requests.length], ['denied', 0]);
    assert.match(denied.reason, /never/);
  });

  test('does not cover the path once it leads to another file', async (t) => {
    const { project, box } = await GuardedBox.open(t, { answer: 'none' });
    const path = createLink(project, (at) => symlinkSync('tools/name.mjs', at));
    const call = async (): Promise<{ outcome: string; approvalId: string; reason: string }> => {
      const principal = { id: 'agent', kind: 'agent' } as const;
      const result = await box.call(write, { path, content: 'export {};' }, { waitMs: 0, principal });
      const approvalId = (result.outcome === 'awaiting-approval' ? result.approvalId : undefined) ?? '';
      return { outcome: result.outcome, approvalId, reason: result.decision?.reason ?? '' };
    };
    const first = await call();
    await box.approvals.approve(first.approvalId, { by: { id: 'ann', kind: 'human' } });
    const policies = readFileSync(join(project, 'rules/policies.yaml'), 'utf8');
    rmSync(path);
    symlinkSync('rules/policies.yaml', path);
    const second = await call();
    assert.deepEqual([second.outcome, second.approvalId === first.approvalId], ['awaiting-approval', false]);
    assert.match(second.reason, /policies\.yaml is a policy file/);
    assert.equal(readFileSync(join(project, 'rules/policies.yaml'), 'utf8'), policies);
    rmSync(path);
    symlinkSync('tools/name.mjs', path);
    assert.equal((await call()).outcome, 'completed');
  });
});

let links = 0;
function createLink(project: string, make: (path: string) => void): string {
  const path = join(project, `link-${(links += 1)}`);
  make(path);
  return path;
}
