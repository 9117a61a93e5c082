import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { oauthTokenStore } from '../../src/host/secrets/oauth-token-store.ts';
import { type CliResult, CliProject } from '../e2e/cli-project.ts';
import { trustsNothing } from './hostile-workspace.ts';

const value = 'a-token-of-the-first-project';

/** Starts a server of the attacker, which records the tokens that it receives. */
async function startCollector(t: TestContext): Promise<{ readonly url: string; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers.authorization ?? 'none');
    response.writeHead(404).end();
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, received };
}

const configurationFor = (url: string): string =>
  JSON.stringify({ mcpServers: { web: { url, headers: { Authorization: 'Bearer ${secret:TOKEN}' } } } });

/** Two projects of one user, with one data directory. */
class Projects {
  readonly first: CliProject;
  readonly second: CliProject;

  constructor(url: string) {
    this.first = new CliProject({ 'signalbox.config.json': configurationFor(url) });
    this.second = new CliProject({ 'signalbox.config.json': configurationFor(url) });
  }

  run(project: CliProject, args: readonly string[], input = ''): Promise<CliResult> {
    return project.run(args, { input, environment: { ...trustsNothing, SIGNALBOX_HOME: this.first.data } });
  }

  async succeeds(project: CliProject, args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await this.run(project, args, input);
    assert.equal(code, 0, stderr);
    return stdout;
  }
}

suite('secret', () => {
  test('is only sent for the configuration that it was granted to', async (t) => {
    const { url, received } = await startCollector(t);
    const projects = new Projects(url);
    const { first, second } = projects;
    // The second project was accepted before the secret existed.
    await projects.succeeds(second, ['trust', '--yes']);
    await projects.succeeds(first, ['secret', 'set', 'TOKEN'], value);
    const refused = await projects.run(second, ['tools']);
    assert.equal(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, /now it would also:\n {2}read {5}secret TOKEN\n/);
    assert.deepEqual(received, []);

    await projects.succeeds(first, ['trust', '--yes']);
    await projects.succeeds(first, ['tools']);
    assert.deepEqual([...new Set(received)], [`Bearer ${value}`]);
    const { items } = JSON.parse(await projects.succeeds(first, ['secret', 'list', '--json'])) as { items: object[] };
    const file = (project: CliProject): string => join(project.directory, 'signalbox.config.json');
    assert.deepEqual(items, [{ name: 'TOKEN', store: 'file', grantedTo: [file(first)] }]);

    await projects.succeeds(second, ['trust', '--yes']);
    const listed = await projects.succeeds(first, ['secret', 'list']);
    assert.ok(listed.includes(file(first)) && listed.includes(file(second)), listed);
    // The grant is revoked together with the trust.
    await projects.succeeds(second, ['trust', 'revoke']);
    assert.ok(!(await projects.succeeds(first, ['secret', 'list'])).includes(file(second)));
  });

  test('that was removed and set again for one project is not available to another', async (t) => {
    const { url, received } = await startCollector(t);
    const projects = new Projects(url);
    const { first, second } = projects;
    await projects.succeeds(second, ['secret', 'set', 'TOKEN'], 'an-old-value-of-the-second');
    await projects.succeeds(second, ['trust', '--yes']);
    await projects.succeeds(second, ['secret', 'remove', 'TOKEN']);
    await projects.succeeds(first, ['secret', 'set', 'TOKEN'], value);
    assert.equal((await projects.run(second, ['tools'])).code, 2);
    assert.deepEqual(received, []);
  });

  test('of an earlier version is granted to no configuration, and requested at the next trust', async (t) => {
    const { url, received } = await startCollector(t);
    const projects = new Projects(url);
    const { first } = projects;
    // A secret as earlier versions stored it, without grants.
    await projects.succeeds(new CliProject(), ['secret', 'set', 'TOKEN'], value);
    assert.deepEqual(readdirSync(first.data).includes('trust'), false);
    assert.equal((await projects.run(first, ['tools'])).code, 2);
    assert.deepEqual(received, []);
    assert.match(await projects.succeeds(first, ['trust', '--yes']), /read {5}secret TOKEN/);
    await projects.succeeds(first, ['tools']);
    assert.deepEqual([...new Set(received)], [`Bearer ${value}`]);
  });

  test('in a command of the user needs no further approval', async (t) => {
    const { url, received } = await startCollector(t);
    const projects = new Projects(url);
    const own = new CliProject();
    await projects.succeeds(own, ['secret', 'set', 'TOKEN'], value);
    const header = ['--header', 'Authorization=Bearer ${secret:TOKEN}'];
    await projects.succeeds(own, ['add', 'web', '--no-check', '--url', url, ...header]);
    await projects.succeeds(own, ['tools']);
    assert.deepEqual([...new Set(received)], [`Bearer ${value}`]);
    // A reference added by hand asks, although the secret is granted.
    const file = join(own.directory, 'signalbox.config.json');
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object };
    writeFileSync(
      file,
      JSON.stringify({ mcpServers: { ...mcpServers, other: { url, headers: { X: '${secret:TOKEN}' } } } }),
    );
    assert.equal((await projects.run(own, ['tools'])).code, 2);
  });
});

test('an OAuth sign-in belongs to the configuration and the URL that it was made for', async () => {
  const { first, second } = new Projects('http://127.0.0.1:1');
  const before = process.env['SIGNALBOX_SECRETS'];
  process.env['SIGNALBOX_SECRETS'] = 'file';
  try {
    const [own, others] = [first, second].map((project) =>
      oauthTokenStore(first.data, join(project.directory, 'signalbox.config.json')),
    );
    await own?.save('web:0123', 'tokens');
    assert.equal(await own?.load('web:0123'), 'tokens');
    assert.equal(await own?.load('web:4567'), undefined, 'another URL has another key');
    assert.equal(await others?.load('web:0123'), undefined);
    await others?.save('web:0123', undefined);
    assert.equal(await own?.load('web:0123'), 'tokens');
  } finally {
    if (before === undefined) delete process.env['SIGNALBOX_SECRETS'];
    else process.env['SIGNALBOX_SECRETS'] = before;
  }
});
