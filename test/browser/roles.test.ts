import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../mcp-servers/boxed.ts';
import { type ServedProject, type Window, accessibilityFaults, openWindow, serve } from './served-console.ts';

describe('roles in the console', () => {
  let served: ServedProject;
  let session: string;
  before(async () => {
    served = await serve();
    const created = await served.request('POST', '/api/sessions', { agent: 'demo', title: 'The tour' });
    session = (created as { readonly id: string }).id;
    await served.request('POST', `/api/sessions/${session}/messages`, { content: 'run the tour' });
    const hasPending = async (): Promise<boolean> =>
      ((await served.request('GET', '/api/approvals')) as { readonly items: readonly unknown[] }).items.length > 0;
    await until(hasPending, 'a call of the tour needs approval');
  });

  async function openWindowAs(role: string): Promise<Window> {
    const { token } = (await served.request('POST', '/api/tokens', { role })) as { readonly token: string };
    return await openWindow(served, { token });
  }

  /** Opens a page as a viewer, waits for a text, and returns the labels of the enabled buttons. */
  async function enabledButtons(page: Page, path: string, text: string): Promise<string[]> {
    await page.goto(served.url + path);
    await page.getByText('Role viewer').waitFor();
    await page.getByText(text).first().waitFor();
    return page.locator('main button:enabled').evaluateAll((buttons) => buttons.map(({ textContent }) => textContent));
  }

  it('a viewer cannot trigger requests that the server would reject, and sees the reason', async () => {
    const { page, faults } = await openWindowAs('viewer');
    const requests: string[] = [];
    // The page must not send forbidden requests, neither on load nor by shortcuts.
    page.on('request', (request) => void requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    assert.deepEqual(await enabledButtons(page, '/', 'The tour'), []);
    assert.equal(
      await page.getByRole('button', { name: 'New session' }).getAttribute('title'),
      'Requires the admin role; yours is viewer.',
    );
    await page.keyboard.press('n');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0);

    const inboxButtons = await enabledButtons(page, '/inbox', 'Requires the approver or admin role; yours is viewer.');
    assert.deepEqual(
      inboxButtons.filter((name) => !/^(Turn on notifications|mcp__demo__write_note)/.test(name)),
      [],
    );
    await page.keyboard.press('a');
    assert.deepEqual(await accessibilityFaults(page), []);

    await enabledButtons(page, `/sessions/${session}`, 'Requires the approver or admin role; yours is viewer.');
    assert.equal(await page.getByRole('textbox', { name: 'Message' }).isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: /^Permission mode/ }).isDisabled(), true);
    for (const name of ['Rename', /^Fork/, 'Delete', 'Stop'])
      assert.equal(await page.getByRole('button', { name }).isDisabled(), true, String(name));

    await enabledButtons(page, '/tools/mcp__signalbox__ping', 'Requires the admin role; yours is viewer.');
    assert.equal(await page.getByRole('button', { name: 'Run' }).isDisabled(), true);
    await enabledButtons(page, '/servers/demo', 'Up since');
    for (const name of ['Add', 'Import', 'Disable'])
      assert.equal(await page.getByRole('button', { name, exact: true }).isDisabled(), true, name);

    await enabledButtons(page, '/policies', 'Requires the admin role; yours is viewer.');

    const writes = requests.filter((line) => !line.startsWith('GET ') && line !== 'POST /api/policies/check');
    assert.deepEqual(writes, []);
    assert.deepEqual(faults, []);
  });

  it('an approver can answer, but not start a session', async () => {
    const { page } = await openWindowAs('approver');
    await page.getByText('Role approver').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New session' }).isDisabled(), true);
    await page.goto(`${served.url}/inbox`);
    await page.getByText('Role approver').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('send_note').first().waitFor();
  });

  it('an admin can start sessions and sign out, and sees no role', async () => {
    const { page } = await openWindow(served);
    await page.getByRole('button', { name: 'New session' }).and(page.locator(':enabled')).waitFor();
    await page.locator('.connection .faint').waitFor();
    assert.equal(await page.getByText('Role admin').count(), 0);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});
