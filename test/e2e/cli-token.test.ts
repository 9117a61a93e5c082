import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type CliServer, CliProject, notesProject } from './cli-project.ts';

function send({ url }: CliServer, token: string, method: string, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(url + path, { method, headers, ...(method === 'GET' ? {} : { body: '{}' }) });
}

const call = '/api/tools/mcp__notes__list/call';

suite('signalbox token', () => {
  test('create warns about an unknown profile, with a suggestion', async () => {
    const project = new CliProject({ 'signalbox.config.json': '{"profiles": {"coding": {}}}' });
    const create = async (profile: string): Promise<string> =>
      (await project.run(['token', 'create', '--role', 'agent', '--profile', profile])).stderr;
    assert.match(await create('codin'), /warning: the configuration has no profile "codin"; did you mean "coding"\?/);
    assert.doesNotMatch(await create('coding'), /warning/);
  });

  test('a token created beside a running server works with its role until it is revoked, and is nowhere in clear text', async () => {
    const project = new CliProject(notesProject);
    const served = await project.serve();
    const created = await project.run(['token', 'create', '--role', 'agent', '--name', 'ci', '--expires', '30d']);
    const token = created.stdout.trim();
    assert.match(created.stdout, /^sbx_[0-9a-z]{19}_[\w-]{43}\n$/, 'standard output is only the token');
    const [id = ''] = /tok_\w+/.exec(created.stderr) ?? [];
    assert.match(created.stderr, /^tok_\w+ is valid until \S+ \S+ for the role agent; the token is not shown again\n$/);
    assert.equal((await send(served, token, 'POST', call)).status, 200);
    const refused = await send(served, token, 'PUT', '/api/policies');
    assert.equal(refused.status, 403);
    const refusal = await refused.text();

    const listed = await project.run(['token', 'list']);
    assert.match(listed.stdout, new RegExp(`^${id} +agent +active +.* ci$`, 'm'));
    const revoked = await project.run(['token', 'revoke', id.slice(0, 20)]);
    assert.deepEqual([revoked.code, revoked.stdout], [0, `revoked ${id} (agent)\n`]);
    // Another process revoked it: the server checks the token of an open connection again after at most half a second.
    while ((await send(served, token, 'POST', call)).status !== 401) await wait(50);
    const again = await project.run(['token', 'revoke', token]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /error token-unknown: the token tok_\w+ is already revoked/);

    const journal = await project.run(['journal', '--json']);
    const { items } = JSON.parse(journal.stdout) as {
      items: { type: string; by?: { id: string }; tokenId?: string }[];
    };
    const changes = items.filter(({ tokenId }) => tokenId === id);
    assert.deepEqual(
      changes.map(({ type }) => type),
      ['TokenCreated', 'TokenRevoked'],
    );
    assert.ok(changes.every(({ by }) => by?.id.startsWith('user:')));
    assert.match((await project.run(['journal'])).stdout, /token revoked/);

    const agentToken = readFileSync(join(project.data, 'agent-token'), 'utf8').trim();
    const commandLine = readIfExists(`/proc/${served.pid}/cmdline`);
    const { stdout, stderr } = await served.stop();
    const texts = [
      refusal,
      stdout,
      stderr,
      commandLine,
      ...[listed, revoked, again, journal].map((run) => run.stdout + run.stderr),
    ];
    for (const secret of [token.slice(24), agentToken.slice(24)]) {
      for (const text of texts) assert.ok(!text.includes(secret));
      for (const file of readdirSync(project.data, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || file.name === 'agent-token') continue;
        assert.ok(!readFileSync(join(file.parentPath, file.name), 'latin1').includes(secret), file.name);
      }
    }
  });

  test('create works in an empty data directory; invalid use is reported with the correct use', async () => {
    const project = new CliProject();
    const { token, id, role, expiresAt } = await project.json(['token', 'create', '--role', 'approver']);
    assert.ok(String(token).startsWith(`sbx_${String(id).slice(4)}_`));
    assert.deepEqual([role, expiresAt], ['approver', undefined]);
    const { items } = (await project.json(['token', 'list'])) as { items: object[] };
    assert.deepEqual(items.length, 1);
    assert.ok(!JSON.stringify(items).includes(String(token).slice(24)));
    for (const [args, message] of [
      [['create'], /required option '--role <role>' not specified/],
      [['create', '--role', 'boss'], /Allowed choices are viewer, agent, approver, admin/],
      [['create', '--role', 'agent', '--expires', 'soon'], /A duration is/],
      [['create', '--role', 'viewer', '--profile', 'p'], /restricts only tokens with the role agent/],
    ] as const) {
      const { code, stderr, stdout } = await project.run(['token', ...args]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    }
    assert.equal((await project.run(['token', 'revoke', 'nope'])).code, 1);
  });
});

suite('agent token of serve', () => {
  test('only allows calls, stays the same over restarts, and is replaced after it was revoked', async () => {
    const project = new CliProject(notesProject);
    const file = join(project.data, 'agent-token');
    const tokens: string[] = [];
    const start = async (): Promise<CliServer> => {
      const served = await project.serve();
      tokens.push(readFileSync(file, 'utf8').trim());
      return served;
    };
    const first = await start();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [token = ''] = tokens;
    assert.equal((await send(first, token, 'POST', call)).status, 200);
    for (const [method, path] of [
      ['PUT', '/api/policies'],
      ['GET', '/api/journal'],
      ['POST', '/api/tokens'],
      ['POST', '/api/approvals/any/approve'],
    ] as const)
      assert.equal((await send(first, token, method, path)).status, 403, path);
    await first.stop();
    await (await start()).stop();
    assert.equal(tokens[1], token);
    await project.run(['token', 'revoke', token]);
    const third = await start();
    assert.notEqual(tokens[2], token);
    assert.equal((await send(third, tokens[2] ?? '', 'POST', call)).status, 200);
    assert.equal((await send(third, token, 'POST', call)).status, 401);
    await third.stop();
  });
});

function readIfExists(file: string): string {
  return existsSync(file) ? readFileSync(file, 'latin1') : '';
}
