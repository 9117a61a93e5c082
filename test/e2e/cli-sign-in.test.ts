import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite, test } from 'node:test';
import { type ProtectedFixture, browse, protectedServer } from '../mcp-servers/protected-server.ts';
import { type CliResult, CliProject, waitForExit, waitForOutput } from './cli-project.ts';

function createProject({ url }: ProtectedFixture, auth: object = { type: 'oauth' }): CliProject {
  return new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers: { web: { url, auth } } }) });
}

/** Runs `login` and opens the printed URL, as a person does. */
async function login(project: CliProject, ...options: readonly string[]): Promise<CliResult> {
  const child = project.start(['login', 'web', '--no-browser', ...options]);
  const ended = waitForExit(child);
  const [address = ''] = /http:\S+authorize\S+/.exec(await waitForOutput(child.stderr, /authorize\S+\n/)) ?? [];
  await browse(new URL(address));
  return await ended;
}

function contentsOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

suite('sign-in in the CLI', () => {
  test('login, call, renewal in another process and logout work; no token is stored or printed in clear text', async (t) => {
    const server = await protectedServer(t);
    const project = createProject(server);
    const outputs: CliResult[] = [];
    const run = async (...args: string[]): Promise<CliResult> => {
      const result = await project.run(args);
      outputs.push(result);
      return result;
    };

    const before = await run('call', 'web/echo', '{"text":"hello"}');
    assert.equal(before.code, 1);
    assert.match(before.stderr, /needs sign-in \(nobody has signed in yet\): signalbox login web/);

    const signedIn = await login(project);
    outputs.push(signedIn);
    assert.deepEqual([signedIn.code, signedIn.stderr.includes('error')], [0, false], signedIn.stderr);
    assert.match(
      signedIn.stdout,
      /^signed in to "web" by http:\/\/127\.0\.0\.1:\d+; the tokens are stored encrypted\n$/,
    );

    const called = await run('call', 'web/echo', '{"text":"hello"}');
    assert.deepEqual([called.code, called.stdout], [0, 'hello\n'], called.stderr);
    server.provider.expireAccessTokens();
    for (const text of ['renewed', 'and again']) {
      const again = await run('call', 'web/echo', JSON.stringify({ text }));
      assert.deepEqual([again.code, again.stdout], [0, `${text}\n`], again.stderr);
    }
    assert.equal(server.provider.count('refresh_token'), 1);
    // A server that returns its token leaks it itself; Signalbox must still not store it.
    const [token = ''] = server.provider.accessTokens.keys();
    await run('call', 'web/echo', JSON.stringify({ text: token }));

    const issued = [...server.provider.accessTokens.keys(), ...server.provider.refreshTokens.keys()];
    assert.equal(issued.length, 3);
    const stored = contentsOf(project.data);
    for (const each of issued) {
      assert.ok(!stored.includes(each), 'a token is in clear text in the data directory');
      assert.ok(!outputs.some(({ stderr }) => stderr.includes(each)), 'a token was printed');
    }

    const signedOut = await run('logout', 'web');
    assert.equal(signedOut.stdout, 'signed out of "web": the tokens are revoked and deleted\n');
    assert.equal(server.provider.accessTokens.size, 0);
    assert.equal((await run('logout', 'web')).stdout, 'you were not signed in to "web"\n');
    assert.equal((await run('call', 'web/echo', '{"text":"x"}')).code, 1);
  });

  test('processes that renew at the same moment use the refresh token once', async (t) => {
    const server = await protectedServer(t);
    const project = createProject(server);
    assert.equal((await login(project)).code, 0);
    server.provider.expireAccessTokens();
    // Long enough for all processes to arrive while the first one waits.
    server.provider.behavior.tokenDelayMs = 1500;
    const results = await Promise.all(
      ['a', 'b', 'c'].map((text) => project.run(['call', 'web/echo', JSON.stringify({ text })])),
    );
    assert.deepEqual(
      results.map(({ code, stdout }) => [code, stdout]),
      ['a', 'b', 'c'].map((text) => [0, `${text}\n`]),
      results.map(({ stderr }) => stderr).join(''),
    );
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('tools --why and doctor name a server that needs sign-in, with the command', async (t) => {
    const project = createProject(await protectedServer(t));
    const { stdout } = await project.run(['tools', '--why']);
    assert.match(stdout, /web is down, since .*: needs sign-in \(nobody has signed in yet\): signalbox login web/);
    const { items } = (await project.json(['doctor'], 1)) as { items: { what: string; fix?: string }[] };
    const finding = items.find(({ what }) => what.includes('needs sign-in'));
    assert.equal(finding?.fix, 'signalbox login web');
  });

  test('login opens the browser on a machine with a display, with the URL as one argument', async (t) => {
    const server = await protectedServer(t);
    const project = createProject(server);
    const programs = join(project.directory, 'programs');
    mkdirSync(programs);
    const browser = join(programs, 'xdg-open');
    writeFileSync(browser, `#!${process.execPath}\nif (process.argv.length === 3) fetch(process.argv[2]);\n`);
    chmodSync(browser, 0o755);
    const PATH = `${programs}${delimiter}${process.env['PATH']}`;
    const { code, stdout, stderr } = await project.run(['login', 'web', '--json'], {
      environment: { PATH, DISPLAY: ':0' },
    });
    assert.equal(code, 0, stderr);
    const { server: name, resource } = JSON.parse(stdout) as Record<string, string>;
    assert.deepEqual([name, resource], ['web', server.url]);
  });

  test('a denied sign-in exits with the reason', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.error = 'access_denied';
    const { code, stderr } = await login(createProject(server));
    assert.equal(code, 1);
    assert.match(stderr, /sign-in-failed: not signed in to "web": http:\S+ refused: access_denied/);
  });

  test('client credentials need no sign-in, and the secret can be a reference', async (t) => {
    const server = await protectedServer(t);
    server.provider.clients.set('machine', { secret: 'of-the-machine', redirectUris: [] });
    const grant = { type: 'oauth', grant: 'client_credentials', clientId: 'machine', clientSecret: '${env:MACHINE}' };
    const project = createProject(server, grant);
    const environment = { MACHINE: 'of-the-machine' };
    const called = await project.run(['call', 'web/echo', '{"text":"hello"}'], { environment });
    assert.deepEqual([called.code, called.stdout], [0, 'hello\n'], called.stderr);
    assert.ok(!contentsOf(project.data).includes('of-the-machine'));
    const { code, stderr } = await project.run(['login', 'web'], { environment });
    assert.equal(code, 2);
    assert.match(stderr, /signs in with its own credentials, so you cannot sign in to it/);
  });

  test('an unknown server, or one without OAuth, is reported with the next step', async (t) => {
    const { url } = await protectedServer(t);
    const config = JSON.stringify({ mcpServers: { web: { url } } });
    const project = new CliProject({ 'signalbox.config.json': config });
    const unknown = await project.run(['login', 'wep']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /has no server "wep"\n.*did you mean "web"\?/);
    const open = await project.run(['logout', 'web']);
    assert.equal(open.code, 2);
    assert.match(open.stderr, /add "auth": \{ "type": "oauth" \} to mcpServers\.web/);
  });
});
