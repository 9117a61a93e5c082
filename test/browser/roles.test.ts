import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../mcp-servers/boxed.ts';
import { type ServedProject, type Window, accessibilityFaults, openWindow, serve } from './served-console.ts';

describe('the console knows what its reader may do', () => {
  let served: ServedProject;
  let session: string;
  before(async () => {
    served = await serve();
    const begun = await served.ask('POST', '/api/sessions', { agent: 'demo', title: 'The tour' });
    session = (begun as { readonly id: string }).id;
    await served.ask('POST', `/api/sessions/${session}/messages`, { content: 'run the tour' });
    const waits = async (): Promise<boolean> =>
      ((await served.ask('GET', '/api/approvals')) as { readonly items: readonly unknown[] }).items.length > 0;
    await until(waits, 'a call of the tour waits');
  });

  async function windowOf(role: string): Promise<Window> {
    const { token } = (await served.ask('POST', '/api/tokens', { role })) as { readonly token: string };
    return await openWindow(served, { token });
  }

  /** The buttons of a page that can be pressed. */
  async function pressable(page: Page, path: string, isThere: string): Promise<string[]> {
    await page.goto(served.url + path);
    await page.getByText('Role viewer').waitFor();
    await page.getByText(isThere).first().waitFor();
    return page.locator('main button:enabled').evaluateAll((all) => all.map((each) => each.textContent));
  }

  it('a viewer can press nothing that the server would refuse, and sees why', async () => {
    const { page, faults } = await windowOf('viewer');
    const seen: string[] = [];
    // The page must not send forbidden requests, neither on load nor by shortcuts.
    page.on('request', (request) => void seen.push(`${request.method()} ${new URL(request.url()).pathname}`));
    assert.deepEqual(await pressable(page, '/', 'The tour'), []);
    assert.equal(
      await page.getByRole('button', { name: 'New session' }).getAttribute('title'),
      'Requires the admin role; yours is viewer.',
    );
    await page.keyboard.press('n');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0);

    const inInbox = await pressable(page, '/inbox', 'Requires the approver or admin role; yours is viewer.');
    assert.deepEqual(
      inInbox.filter((name) => !/^(Turn on notifications|mcp__demo__write_note)/.test(name)),
      [],
    );
    await page.keyboard.press('a');
    assert.deepEqual(await accessibilityFaults(page), []);

    await pressable(page, `/sessions/${session}`, 'Requires the approver or admin role; yours is viewer.');
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).isDisabled(), true);
    assert.equal(await page.getByRole('combobox', { name: 'Permission mode' }).isDisabled(), true);
    for (const name of ['Rename', /^Fork/, 'Delete', 'Stop'])
      assert.equal(await page.getByRole('button', { name }).isDisabled(), true, String(name));

    await pressable(page, '/tools/mcp__signalbox__ping', 'Requires the admin role; yours is viewer.');
    assert.equal(await page.getByRole('button', { name: 'Run' }).isDisabled(), true);
    await pressable(page, '/servers/demo', 'Up since');
    for (const name of ['Add', 'Import', 'Disable'])
      assert.equal(await page.getByRole('button', { name, exact: true }).isDisabled(), true, name);

    await pressable(page, '/policies', 'Requires the admin role; yours is viewer.');

    const changing = seen.filter((asked) => !asked.startsWith('GET ') && asked !== 'POST /api/policies/check');
    assert.deepEqual(changing, []);
    assert.deepEqual(faults, []);
  });

  it('an approver answers, and begins nothing', async () => {
    const { page } = await windowOf('approver');
    await page.getByText('Role approver').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New session' }).isDisabled(), true);
    await page.goto(`${served.url}/inbox`);
    await page.getByText('Role approver').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('send_note').first().waitFor();
  });

  it('an admin is spared all that', async () => {
    const { page } = await openWindow(served);
    await page.getByRole('button', { name: 'New session' }).and(page.locator(':enabled')).waitFor();
    await page.locator('.connection .faint').waitFor();
    assert.equal(await page.getByText('Role admin').count(), 0);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});
