import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { httpFixture } from '../mcp-servers/http-fixture.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { type CliResult, CliProject, onTerminal } from './cli-project.ts';

const value = 'tok_7f3kQ-planted-canary';

function createProject(mcpServers: object): CliProject {
  return new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers }) });
}

/** Returns every file below a directory. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Asserts that neither the outputs nor any file of the project contain the value in any encoding. */
function assertNowhere(project: CliProject, ...runs: readonly CliResult[]): void {
  const forms = [value, Buffer.from(value).toString('base64').slice(0, -4), Buffer.from(value).toString('hex')];
  for (const form of forms) {
    for (const { stdout, stderr } of runs) assert.ok(!`${stdout}${stderr}`.includes(form));
    for (const file of filesIn(project.directory)) assert.ok(!readFileSync(file, 'latin1').includes(form), file);
  }
}

suite('signalbox secret', () => {
  test('a secret set on standard input reaches the header of the server that refers to it, and nothing else', async (t) => {
    const fixture = await httpFixture('modern');
    const other = await httpFixture('modern');
    t.after(() => Promise.all([fixture.close(), other.close()]));
    const project = createProject({
      web: { type: 'http', url: fixture.url, headers: { 'x-key': '${secret:WEB.key-1}' } },
      other: { type: 'http', url: other.url },
    });
    const set = await project.run(['secret', 'set', 'WEB.key-1'], { input: `${value}\n` });
    assert.equal(set.code, 0, set.stderr);
    assert.match(
      set.stdout,
      /^WEB\.key-1 is added, encrypted with the key in .*secrets\.key; .*signalbox\.config\.json may use it as \$\{secret:WEB\.key-1\}\n$/,
    );
    const called = await project.run(['call', 'web/echo', JSON.stringify({ text: 'hello' })]);
    assert.deepEqual([called.code, called.stdout], [0, 'hello\n'], called.stderr);
    assert.ok(fixture.requests.length > 0);
    assert.ok(fixture.requests.every((headers) => headers.get('x-key') === value));
    assert.ok(other.requests.every((headers) => !JSON.stringify([...headers]).includes(value)));
    const echoed = await project.run(['call', 'web/echo', JSON.stringify({ text: `it is ${value}` })]);
    assert.equal(echoed.code, 0);
    const journal = await project.run(['journal', '--json']);
    assert.match(journal.stdout, /\[redacted:WEB\.key-1\]/);
    const listed = await project.run(['secret', 'list', '--json']);
    assert.deepEqual(JSON.parse(listed.stdout), {
      items: [{ name: 'WEB.key-1', store: 'file', grantedTo: [join(project.directory, 'signalbox.config.json')] }],
    });
    assertNowhere(
      project,
      set,
      called,
      journal,
      listed,
      await project.run(['tools', '--why']),
      await project.run(['doctor']),
    );

    await project.run(['secret', 'set', 'WEB.key-1'], { input: 'another-one' });
    fixture.requests.length = 0;
    await project.run(['call', 'web/echo', '{"text":"x"}']);
    assert.ok(
      fixture.requests.every((headers) => headers.get('x-key') === 'another-one'),
      'the next connection uses the new value',
    );
  });

  test('a missing secret takes down only its server, with the command to set it; doctor reports the same', async () => {
    const { command, args } = fixtureProgram();
    const project = createProject({
      bad: { command, args, env: { TOKEN: '${secret:SURELY_MISSING}' } },
      good: { command, args, env: { TOKEN: '${secret:GOOD}' } },
    });
    const environment = { MINE: value };
    const set = await project.run(['secret', 'set', 'GOOD', '--from-env', 'MINE'], { environment });
    assert.equal(set.code, 0, set.stderr);
    const { servers } = (await project.json(['tools', '--why'])) as { servers: { status: string; reason?: string }[] };
    assert.deepEqual(
      servers.map(({ status }) => status),
      ['up', 'down', 'up'],
    );
    assert.match(
      servers[1]?.reason ?? '',
      /mcpServers\.bad\.env\.TOKEN refers to the secret SURELY_MISSING, which is not set; run signalbox secret set SURELY_MISSING/,
    );
    chmodSync(join(project.data, 'secrets'), 0o755);
    const doctor = await project.run(['doctor']);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /ok +1 secret in .*secrets, encrypted with the key in .*secrets\.key/);
    assert.match(
      doctor.stdout,
      /refers to the secret SURELY_MISSING, which is not set\n +fix: signalbox secret set SURELY_MISSING/,
    );
    assert.match(doctor.stdout, /other users .* can read the encrypted secrets .*\n +fix: chmod -R go= /);
    assert.match(doctor.stdout, /ok +secret GOOD can be read/);
    chmodSync(join(project.data, 'secrets.key'), 0o644);
    const refused = await project.run(['doctor']);
    assert.match(refused.stdout, /error +other users .* can read the key to the secrets/);
    assert.match(refused.stdout, /error +.*the secret GOOD cannot be read/);
    assertNowhere(project, set, doctor, refused);
  });

  test('a server that is down, or writes to standard error, does not reveal its secrets', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const ended = {
      command: process.execPath,
      args: ['-e', 'console.error("it is " + process.env.T); process.exit(3)'],
    };
    const project = createProject({
      header: { url, headers: { x: '${secret:LINES}' } },
      address: { url: 'http://me:${secret:ONE}@127.0.0.1:nine/mcp' },
      program: { command: '${secret:ONE}' },
      words: { ...ended, env: { T: '${secret:ONE}' } },
      variable: { ...ended, env: { T: '${env:MINE}' } },
    });
    const environment = { MINE: value };
    await project.run(['secret', 'set', 'ONE'], { input: value });
    await project.run(['secret', 'set', 'LINES'], { input: `${value}\nand more` });
    const tools = await project.run(['tools', '--why'], { environment });
    const called = await project.run(['call', 'mcp__address__x'], { environment });
    const doctor = await project.run(['doctor'], { environment });
    assert.match(
      tools.stdout,
      /header is down.*: the value of the header "x" has a character that HTTP does not allow/,
    );
    assert.match(tools.stdout, /http:\/\/me:\[redacted:ONE\]@127/);
    assert.match(doctor.stdout, /its last output: it is \[redacted:ONE\]/);
    assert.match(doctor.stdout, /its last output: it is \[redacted:(MINE|ONE)\]/);
    assertNowhere(project, tools, called, doctor);
  });

  test('a value on the command line is rejected with the reason; an invalid secret is reported', async () => {
    const project = new CliProject();
    const refused = await project.run(['secret', 'set', 'A', value]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /every process of this machine sees it, and the shell stores it in its history/);
    assertNowhere(project, refused);
    for (const [args, input, expected] of [
      [['A'], '', /at least 4 characters/],
      [['A'], 'abc\n', /at least 4 characters/],
      [['a b'], 'long enough', /"a b" is not a valid name for a secret/],
      [['A', '--from-env', 'SURELY_NOT_SET'], '', /the environment variable SURELY_NOT_SET is not set/],
    ] as const) {
      const { code, stderr } = await project.run(['secret', 'set', ...args], { input });
      assert.equal(code, 2);
      assert.match(stderr, expected);
    }
    assert.match((await project.run(['secret', 'list'])).stdout, /^no secrets are stored/);
  });

  test('a secret that does not exist cannot be removed, and the nearest name is suggested', async () => {
    const project = new CliProject();
    await project.run(['secret', 'set', 'GITHUB_TOKEN'], { input: value });
    const wrong = await project.run(['secret', 'remove', 'GITHUB_TOKN']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /no secret is named "GITHUB_TOKN"\n +did you mean "GITHUB_TOKEN"\?/);
    assert.equal((await project.run(['secret', 'remove', 'GITHUB_TOKEN'])).stdout, 'GITHUB_TOKEN is removed\n');
    assert.deepEqual(await project.json(['secret', 'list']), { items: [] });
  });

  test('without a keychain, a file stores the key silently; a requested keychain must be available', async (t) => {
    if (process.platform !== 'linux') return t.skip('the keychain of this system is always available');
    const project = new CliProject();
    const DBUS_SESSION_BUS_ADDRESS = 'unix:path=/nonexistent';
    const set = (SIGNALBOX_SECRETS: string): Promise<CliResult> =>
      project.run(['secret', 'set', 'A', '--json'], {
        input: value,
        environment: { SIGNALBOX_SECRETS, DBUS_SESSION_BUS_ADDRESS },
      });
    const requested = await set('keychain');
    assert.equal(requested.code, 1);
    assert.match(requested.stderr, /the system keychain cannot be used: .*SIGNALBOX_SECRETS=file/);
    assert.equal(existsSync(project.data), false, 'nothing was stored elsewhere');
    const silent = await set('');
    assert.deepEqual([silent.code, silent.stderr], [0, '']);
    assert.deepEqual(JSON.parse(silent.stdout), { name: 'A', store: 'file', action: 'added', grantedTo: null });
  });

  test('commands that neither store nor read a secret do not load the keychain', async () => {
    const project = createProject({});
    const loaded = `process.on('exit', () => process.stderr.write(process.report.getReport().sharedObjects.some((file) => file.includes('keyring')) ? 'LOADED' : 'NOT LOADED'))`;
    const environment = {
      SIGNALBOX_SECRETS: '',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(loaded)}`,
    };
    for (const args of [['--version'], ['tools'], ['secret', 'list'], ['doctor']]) {
      const { stderr } = await project.run(args, { environment });
      assert.match(stderr, /NOT LOADED$/, args.join(' '));
    }
    const noBus = { SIGNALBOX_SECRETS: 'keychain', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
    const options = { input: value, environment: { ...environment, ...noBus } };
    if (process.platform !== 'linux') return;
    const { stderr } = await project.run(['secret', 'set', 'A'], options);
    assert.match(stderr, /(?<!NOT )LOADED$/);
  });

  for (const [typed, isStored] of [
    [`${value}\r`, true],
    ['half\u0003', false],
  ] as const) {
    test(
      `on a terminal the value is typed without echo, and is ${isStored ? 'stored' : 'not stored after Ctrl-C'}`,
      onTerminal,
      async () => {
        const project = new CliProject();
        const run = await project.dialogue(['secret', 'set', 'A'], [[/Value of A \(not shown\): /, typed]]);
        assert.equal(run.code, isStored ? 0 : 1, run.stdout);
        assertNowhere(project, run);
        assert.ok(!run.stdout.includes('half'));
        const { items } = await project.json(['secret', 'list']);
        assert.deepEqual(items, isStored ? [{ name: 'A', store: 'file', grantedTo: [] }] : []);
      },
    );
  }
});
