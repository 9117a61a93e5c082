import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ServedProject, openWindow, serve } from '../browser/served-console.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';

const program = fileURLToPath(new URL('../mcp-servers/changing-program.ts', import.meta.url));
const inputSchema = { type: 'object' };
const annotations = { readOnlyHint: true };
const transfer = { name: 'transfer', description: 'Transfers money.', inputSchema };
const writeListing = (project: CliProject, name: string, ...tools: readonly object[]): void =>
  writeFileSync(join(project.directory, `${name}.json`), JSON.stringify({ tools }));
const listing = JSON.stringify({ tools: [transfer] });
const entry = (name: string): object => ({ command: process.execPath, args: [program, `./${name}.json`] });

describe('changed definitions of a server in a running gateway', () => {
  const project = new CliProject({
    'bank.json': listing,
    'shop.json': listing,
    'own.json': listing,
    'signalbox.config.json': JSON.stringify({
      mcpServers: { bank: entry('bank'), shop: entry('shop'), own: { ...entry('own'), pin: false } },
    }),
  });
  let served: ServedProject;
  const changedServers = async (): Promise<string[]> => {
    const { items } = (await served.request('GET', '/api/lock')) as { items: { server: string; status: string }[] };
    return items.filter(({ status }) => status === 'changed').map(({ server }) => server);
  };
  const call = async (server: string): Promise<string> => {
    const path = `/api/tools/mcp__${server}__transfer/call`;
    return ((await served.request('POST', path, { arguments: {}, waitSeconds: 0 })) as { outcome: string }).outcome;
  };
  before(async () => {
    served = await serve(project);
    await until(async () => {
      const tools = JSON.stringify(await served.request('GET', '/api/tools'));
      return ['bank', 'shop', 'own'].every((server) => tools.includes(`mcp__${server}__`));
    }, 'all servers are up');
  });

  it('are shown and accepted in the console, which creates no lock file', async () => {
    writeListing(project, 'bank', { ...transfer, annotations });
    writeListing(project, 'own', { ...transfer, annotations });
    await until(async () => (await changedServers()).includes('bank'), 'the change is detected');
    assert.equal(await call('bank'), 'awaiting-approval');
    assert.equal(await call('own'), 'completed', 'the entry disables pins');
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/lock`);
    const card = page.getByRole('region', { name: 'bank' });
    await card.getByText('annotation readOnlyHint: absent → true').waitFor();
    await card.getByText('needs more trust').waitFor();
    await card.getByRole('button', { name: 'Accept' }).click();
    await card.getByText(/as first seen/).waitFor();
    assert.equal(await call('bank'), 'completed');
    assert.ok(!existsSync(join(project.directory, 'signalbox.lock')));
  });

  it('are shown by the CLI, which accepts all of them at once', async () => {
    writeListing(project, 'bank', { ...transfer, annotations, description: 'Transfers money twice.' });
    writeListing(project, 'shop', { ...transfer, annotations });
    await until(async () => (await changedServers()).length === 2, 'the changes are detected');
    const tools = await project.run(['tools']);
    assert.match(tools.stdout, /mcp__shop__transfer +shop +irreversible, changed/);
    assert.match(tools.stdout, /2 ask until their definitions are accepted/);
    const diff = await project.run(['lock', 'diff']);
    assert.match(diff.stdout, /description: Transfers \[-money\.-\]\{\+money twice\.\+\}/);
    assert.match(diff.stdout, /annotation readOnlyHint: absent → true ⚠/);
    const accepted = await project.run(['lock', 'accept', '--all']);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stdout, /accepted 1 tool of bank\n[^]*accepted 1 tool of shop\n/);
    assert.deepEqual([await changedServers(), await call('bank'), await call('shop')], [[], 'completed', 'completed']);
  });

  it('are accepted for one tool by the CLI, and the other tools still ask', async () => {
    const refund = { ...transfer, name: 'refund' };
    writeListing(project, 'shop', { ...transfer, description: 'Transfers money at once.' }, refund);
    await until(async () => (await changedServers()).includes('shop'), 'the changes are detected');
    const wrong = await project.run(['lock', 'accept', 'shop', '--tool', 'nothing']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /no tool "nothing" of server "shop" has changed; these have: refund, transfer/);
    const accepted = await project.run(['lock', 'accept', 'shop', '--tool', 'mcp__shop__transfer']);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stdout, /description: Transfers .*money at once[^]*accepted 1 tool of shop\n/);
    const diff = await project.run(['lock', 'diff', 'shop']);
    assert.match(diff.stdout, /\+ refund \(new\)/);
    assert.doesNotMatch(diff.stdout, /transfer/);
    assert.equal((await project.run(['lock', 'accept', 'shop'])).code, 0);
    assert.deepEqual(await changedServers(), []);
  });

  it('are detected after the gateway has ended, by commands that start the server themselves', async () => {
    await served.stop();
    writeListing(project, 'shop', { ...transfer, annotations, description: 'Transfers everything.' });
    const why = await project.run(['tools', '--why']);
    assert.match(why.stdout, /notice mcp__shop__transfer: its definition differs from the accepted one: description/);
    assert.match((await project.run(['lock', 'accept', 'shop'])).stdout, /accepted 1 tool of shop\n/);
    assert.match((await project.run(['lock', 'diff'])).stdout, /nothing changed/);
  });
});
