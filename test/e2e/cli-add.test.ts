import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { httpFixture } from '../mcp-servers/http-fixture.ts';
import { CliProject, notesModule } from './cli-project.ts';

const name = 'signalbox.config.json';
const { command, args = [] } = fixtureProgram();
const readConfiguration = (project: CliProject): unknown =>
  JSON.parse(readFileSync(join(project.directory, name), 'utf8'));

suite('signalbox add', () => {
  test('starts the server and lists its tools with their effects, as the options declare them', async () => {
    const project = new CliProject();
    mkdirSync(join(project.directory, 'work'));
    const options = ['--workspace', 'work', '--effect', 'echo=irreversible', '--effect', 'nothing=read'];
    const { code, stdout, stderr } = await project.run(['add', 'files', ...options, '--', command, ...args]);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^added "files" \(stdio\): signalbox\.config\.json:3 \(a new file\)\nit started, and has \d+ tools:\n/,
    );
    assert.match(stdout, /^mcp__files__echo +files +irreversible /m);
    assert.match(stderr, /^warning: server "files": effect .*"nothing"/m);
    assert.deepEqual(readConfiguration(project), {
      mcpServers: {
        files: {
          command,
          args,
          workspace: ['./work'],
          tools: { effect: { echo: 'irreversible', nothing: 'read' } },
        },
      },
    });
  });

  test('adds servers of each kind, and prints the tools as JSON', async (t) => {
    const fixture = await httpFixture('modern');
    t.after(() => fixture.close());
    const project = new CliProject({ 'notes.ts': notesModule });
    const { tools } = await project.json(['add', 'notes', '--module', 'notes.ts']);
    const [first] = tools as { name: string; effect: string }[];
    assert.deepEqual(first, { name: 'mcp__notes__add', effect: 'irreversible' });
    const { tools: remote } = await project.json(['add', 'remote', '--url', fixture.url]);
    assert.ok((remote as object[]).length > 0);
  });

  test('prints the reason, writes nothing and exits with 1 if the server cannot start', async () => {
    const project = new CliProject();
    const failing = "console.error('API_KEY is missing'); process.exit(3)";
    for (const [words, reason] of [
      [
        ['--', 'no-such-program'],
        /^error server-down: "x" was not added: the program "no-such-program" was not found$/m,
      ],
      [
        ['--', process.execPath, '-e', failing],
        /exit code 3\n {2}its last output on standard error:\n {4}API_KEY is missing$/m,
      ],
      [['--env', 'A=${secret:NONE}', '--', command], /signalbox secret set NONE$/m],
      [['--module', 'missing.ts'], /missing\.ts/],
    ] as const) {
      const { code, stdout, stderr } = await project.run(['add', 'x', ...words]);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, reason);
      assert.match(stderr, /^ {2}next: .* --no-check /m);
      assert.ok((stderr.match(/API_KEY/g)?.length ?? 0) <= 1, 'its output is printed once');
      assert.equal(existsSync(join(project.directory, name)), false);
    }
    const { code, stdout } = await project.run(['add', 'x', '--no-check', '--', 'no-such-program']);
    assert.deepEqual([code, stdout], [0, 'added "x" (stdio): signalbox.config.json:3 (a new file)\n']);
  });

  test('refuses a name with other characters, and names the argument and the valid characters', async () => {
    const project = new CliProject({ [name]: '{ "mcpServers": {} }' });
    const { code, stderr } = await project.run(['add', 'bad name!', '--', 'ls']);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error name-invalid: server name "bad name!" contains a character that is not allowed .*: use letters, digits, "-" and single "_"/,
    );
    assert.match(stderr, /^ {2}next: use another name, such as bad-name$/m);
    assert.doesNotMatch(stderr, /doctor|\.json:/);
  });

  test('reports a mistake in the configuration before it starts the server', async () => {
    const project = new CliProject({ [name]: '{ "mcpServers": { "a": { "npm": 1 } } }' });
    const markerScript = "require('node:fs').writeFileSync('used', '')";
    const { code, stderr } = await project.run(['add', 'x', '--', process.execPath, '-e', markerScript]);
    assert.equal(code, 2);
    assert.match(stderr, /configuration-invalid/);
    assert.equal(existsSync(join(project.directory, 'used')), false);
  });

  test('adds a server that requires a sign-in, with the command that signs in', async (t) => {
    const server = createServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const project = new CliProject();
    writeFileSync(join(project.directory, name), '{}');
    const words = ['add', 'web', '--url', `http://127.0.0.1:${port}/mcp`];
    assert.match((await project.run(words)).stderr, /HTTP 401[^]* next: .*--oauth if users sign in to it/);
    const { code, stdout, stderr } = await project.run([...words, '--oauth']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /next: signalbox login web\n$/);
  });
});
