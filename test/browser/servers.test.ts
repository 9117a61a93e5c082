import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { CliProject } from '../e2e/cli-project.ts';
import { protectedServer } from '../mcp-servers/protected-server.ts';
import { type ServedProject, type Window, accessibilityFaults, openWindow, serve } from './served-console.ts';
import { servedTools, servers, wasAttacked } from './served-tools.ts';

const { hostile } = servers;

describe('the servers page', () => {
  const { 'signalbox.config.json': _, ...files } = servedTools;
  const project = new CliProject({
    ...files,
    'signalbox.config.json': JSON.stringify({
      mcpServers: {
        shop: servers.shop,
        hostile,
        broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      },
    }),
  });
  const configuration = join(project.directory, 'signalbox.config.json');
  let served: ServedProject;
  let window: Window;
  let page: Page;
  before(async () => {
    mkdirSync(join(project.directory, '.cursor'));
    writeFileSync(
      join(project.directory, '.cursor', 'mcp.json'),
      JSON.stringify({ mcpServers: { imported: hostile } }),
    );
    served = await serve(project);
    window = await openWindow(served);
    ({ page } = window);
  });
  const open = async (path: string): Promise<void> => {
    await page.goto(served.url + path);
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  };

  it('restarts, disables and enables a server, and shows HTML of it as text', async () => {
    await open('/servers/hostile');
    const detail = page.getByRole('article');
    await detail.getByText('up', { exact: true }).waitFor();
    await detail.getByLabel('Error output').getByText('</script> on the error output').waitFor();
    await detail.getByText(/^<img src=x.*1 <img/).waitFor();
    await detail.getByRole('button', { name: 'Restart' }).click();
    await page.getByText('hostile restarted').waitFor();
    await detail.getByText('up', { exact: true }).waitFor();
    await detail.getByText('1', { exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Disable' }).click();
    await detail.getByText('disabled', { exact: true }).waitFor();
    await detail.getByRole('button', { name: 'Enable' }).click();
    await detail.getByText('up', { exact: true }).waitFor();
    assert.equal(await wasAttacked(page), false);
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  it('shows why a server is down, and the time of the next attempt', async () => {
    await open('/servers/broken');
    const detail = page.getByRole('article');
    await detail.getByText('down', { exact: true }).waitFor();
    await detail
      .getByText(/exited with code 3|ended with code 3|code 3/)
      .first()
      .waitFor();
    await detail.getByText('Next attempt').waitFor();
  });

  it('adds a server after showing its entry, and removes it after a confirmation', async () => {
    await open('/servers');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('more');
    await dialog.getByRole('textbox', { name: 'Command' }).fill(`${hostile.command} "${hostile.args[0]}"`);
    await dialog.getByLabel(/Environment/).fill('PLACE=${env:HOME}');
    const preview = await dialog.getByLabel('Configuration entry').textContent();
    const entry = { command: hostile.command, args: hostile.args, env: { PLACE: '${env:HOME}' } };
    assert.deepEqual(JSON.parse(`{${preview}}`), { more: entry });
    await dialog.getByRole('button', { name: 'Add' }).click();
    const detail = page.getByRole('article');
    await detail.getByRole('heading', { name: 'more' }).waitFor();
    await detail.getByText('up', { exact: true }).waitFor();
    assert.deepEqual(serversIn(configuration)['more'], entry);
    await detail.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: /^more/ }).waitFor({ state: 'detached' });
    assert.equal(serversIn(configuration)['more'], undefined);
  });

  it('shows why an added server cannot start, and keeps it only when the user adds it anyway', async () => {
    await open('/servers');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('web');
    const command = dialog.getByRole('textbox', { name: 'Command' });
    await command.fill('nosuchprog --x');
    await dialog.getByRole('button', { name: 'Add' }).click();
    const problem = dialog.getByRole('alert');
    await problem.getByText('web cannot start').waitFor();
    await problem.getByText(/nosuchprog/).waitFor();
    assert.equal(await page.getByText(/^Added web/).count(), 0);
    assert.deepEqual(await accessibilityFaults(page), []);
    await dialog.getByRole('button', { name: 'Change the entry' }).click();
    await command.waitFor();
    assert.equal(await command.inputValue(), 'nosuchprog --x');
    assert.equal(serversIn(configuration)['web'], undefined);

    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('button', { name: 'Add anyway' }).click();
    const detail = page.getByRole('article');
    await detail.getByRole('heading', { name: 'web' }).waitFor();
    await detail.getByText('down', { exact: true }).waitFor();
    assert.deepEqual(serversIn(configuration)['web'], { command: 'nosuchprog', args: ['--x'] });
    await served.request('DELETE', '/api/servers/web');
  });

  it('imports a selected server of another client', async () => {
    await open('/servers');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^imported/).waitFor();
    for (const checkbox of await dialog.getByRole('checkbox').all()) await checkbox.uncheck();
    await dialog.getByLabel(/^imported/).check();
    await dialog.getByRole('button', { name: 'Import 1 server' }).click();
    await page.getByRole('link', { name: /^imported/ }).waitFor();
  });

  it('signs in to a server in another tab, and shows when it is up', async (test) => {
    const { url } = await protectedServer(test);
    await served.request('POST', '/api/servers', {
      name: 'guarded',
      entry: { type: 'http', url, auth: { type: 'oauth' } },
    });
    await open('/servers/guarded');
    const detail = page.getByRole('article');
    await detail.getByText('needs sign-in', { exact: true }).waitFor();
    const [tab] = await Promise.all([
      window.context.waitForEvent('page'),
      detail.getByRole('button', { name: 'Sign in' }).click(),
    ]);
    await detail.getByText('up', { exact: true }).waitFor();
    assert.equal(await tab.evaluate('opener'), null);
    await tab.close();
  });

  it('shows the line of an error in the configuration until it is fixed', async () => {
    const text = readFileSync(configuration, 'utf8');
    await open('/servers');
    writeFileSync(configuration, '{\n  "mcpServers": { "x": { "comand": "y" } }\n}');
    await page.getByText(/signalbox\.config\.json:2:\d+.*comand/).waitFor();
    writeFileSync(configuration, text);
    await page.getByText(/configuration is invalid/).waitFor({ state: 'detached' });
  });

  it('shows the command that connects an agent, and which agents are connected', async () => {
    await open('/servers');
    const connect = page.getByRole('region', { name: 'Connect your agent' });
    await connect.getByText('not connected yet').waitFor();
    await connect.getByLabel('Command for Claude Code').getByText(`${served.url}/mcp`).waitFor();
    const token = readFileSync(join(project.data, 'agent-token'), 'utf8').trim();
    const capabilities = {};
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'my-agent', version: '7' } };
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const sessionIds: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const response = await fetch(`${served.url}/mcp`, { method: 'POST', headers, body });
      assert.equal(response.status, 200);
      sessionIds.push(response.headers.get('mcp-session-id') ?? '');
    }
    await connect.getByText('connected', { exact: true }).waitFor();
    await connect.getByText(/^token:.* · 3 sessions · seen just now$/).waitFor();
    assert.equal(await connect.getByRole('list', { name: 'Recent clients' }).getByRole('listitem').count(), 1);
    for (const id of sessionIds)
      await fetch(`${served.url}/mcp`, { method: 'DELETE', headers: { ...headers, 'mcp-session-id': id } });
    await connect.getByText('not connected yet').waitFor();
    assert.deepEqual(window.faults, []);
  });
});

function serversIn(file: string): Record<string, unknown> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers;
}
