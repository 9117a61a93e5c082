import assert from 'node:assert/strict';
import { type TestContext, suite, test } from 'node:test';
import { defineTool, localServer, mcpServer } from '../../src/index.ts';
import { claudeTurn, inspect, inspector, run, temporary } from '../mcp-clients/programs.ts';
import { serving, token } from '../mcp-clients/serving.ts';
import { transparentProgram } from '../mcp-servers/programs.ts';
import { CliProject, launcher, notesProject } from './cli-project.ts';

/** Starts `signalbox serve` with tools, and creates an agent token for it. */
async function startServer(): Promise<{ project: CliProject; url: string; agent: string }> {
  const project = new CliProject(notesProject);
  const { url } = await project.serve();
  const { stdout } = await project.run(['token', 'create', '--role', 'agent']);
  return { project, url: `${url}/mcp`, agent: stdout.trim() };
}

suite('Claude Code with the MCP endpoint', { timeout: 300_000 }, () => {
  test('lists and calls a tool of signalbox serve', async (t) => {
    const { project, url, agent } = await startServer();
    const { results, tools } = await claudeTurn(t, { url, token: agent }, ['mcp__notes__list', {}]);
    assert.ok(tools.includes('mcp__box__mcp__notes__add'));
    assert.deepEqual(results, [{ text: '["milk"]', failed: false }]);
    const { items } = (await project.json(['journal'])) as { items: { type: string; principal?: { kind: string } }[] };
    assert.equal(items.find(({ type }) => type === 'ToolInvoked')?.principal?.kind, 'agent');
  });

  test('gets the address where people approve a pending call, which runs again after the approval', async (t) => {
    let paid = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      effect: 'irreversible',
      run: () => `paid ${(paid += 1)}`,
    });
    const { box, url } = await serving(
      t,
      { data: temporary(t), servers: [localServer({ name: 'bank', tools: [pay] })] },
      { limits: { graceMs: 200, approvalWaitMs: 500 } },
    );
    const server = { url: url.href, token };
    const waiting = await claudeTurn(t, server, ['mcp__bank__pay', { amount: 5 }]);
    const [approval] = await box.approvals.list();
    assert.ok(approval);
    assert.equal(waiting.results[0]?.failed, true);
    assert.ok(
      waiting.results[0].text.includes(
        `A human approves it at ${url.origin}, or with: signalbox approve ${approval.id}`,
      ),
      waiting.results[0].text,
    );
    assert.equal(paid, 0);
    await box.approvals.approve(approval.id, { by: { id: 'user:test', kind: 'human' } });
    const approved = await claudeTurn(t, server, ['mcp__bank__pay', { amount: 5 }]);
    assert.deepEqual(approved.results, [{ text: 'paid 1', failed: false }]);
  });
});

/** Removes the cache lifetime of lists, which Signalbox sets itself. */
function withoutCaching(result: unknown): unknown {
  const { ttlMs: _, cacheScope: __, ...rest } = result as Record<string, unknown>;
  return rest;
}

async function assertListsAndCalls(t: TestContext, target: readonly string[]): Promise<void> {
  const listed = (await inspect(t, target, ['tools/list'])) as { tools: { name: string }[] };
  assert.ok(listed.tools.some(({ name }) => name === 'mcp__notes__add'));
  const called = await inspect(t, target, ['tools/call', '--tool-name', 'mcp__notes__list']);
  assert.deepEqual((called as { content: unknown }).content, [{ type: 'text', text: '["milk"]' }]);
}

suite('MCP Inspector', { timeout: 300_000 }, () => {
  test('lists and calls tools of signalbox serve in both eras, and is rejected without a token', async (t) => {
    const { url, agent } = await startServer();
    const target = [url, '--transport', 'http'];
    const authorized = [...target, '--header', `Authorization: Bearer ${agent}`];
    for (const era of ['legacy', 'modern']) await assertListsAndCalls(t, [...authorized, '--protocol-era', era]);
    await assert.rejects(inspect(t, target, ['tools/list']), /auth_required/);
  });

  test('finds no portability problem in the schemas of the built-in tools', async (t) => {
    const { url, agent } = await startServer();
    const target = [url, '--transport', 'http', '--header', `Authorization: Bearer ${agent}`, '--stored-auth-only'];
    const strict = [inspector, '--cli', ...target, '--method', 'tools/list', '--strict'];
    const env = { PATH: process.env['PATH'] ?? '', HOME: temporary(t) };
    const { stdout, stderr } = await run(process.execPath, strict, { env });
    for (const name of ['set_config', 'get_session_count']) assert.ok(stdout.includes(`mcp__signalbox__${name}`));
    assert.doesNotMatch(stderr, /mcp__signalbox__|portab/i);
  });

  test('shows a server behind Signalbox as it shows the server directly, in both eras', async (t) => {
    for (const era of ['legacy', 'modern']) {
      const program = [process.execPath, transparentProgram, era];
      const server = mcpServer({
        name: 'one',
        transport: { type: 'stdio', command: process.execPath, args: program.slice(1) },
      });
      await server.ready();
      const { url } = await serving(t, {
        servers: [server],
        profiles: { bare: { names: 'own', servers: ['one'], tools: ['!mcp__signalbox__*'] } },
      });
      const behind = [`${url.href}/bare`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
      const shown = (target: readonly string[], method: readonly string[]): Promise<unknown> =>
        inspect(t, [...target, '--protocol-era', era], method);
      for (const method of [['tools/list'], ['prompts/list'], ['tools/call', '--tool-name', 'rich']])
        assert.deepEqual(withoutCaching(await shown(behind, method)), withoutCaching(await shown(program, method)));
    }
  });

  test('lists and calls tools of signalbox stdio', async (t) => {
    const { directory, data } = new CliProject(notesProject);
    const environment = [`SIGNALBOX_HOME=${data}`, 'SIGNALBOX_SECRETS=file', 'SIGNALBOX_TRUST=all'].flatMap((each) => [
      '-e',
      each,
    ]);
    await assertListsAndCalls(t, [process.execPath, launcher, 'stdio', '--cwd', directory, ...environment]);
  });
});
