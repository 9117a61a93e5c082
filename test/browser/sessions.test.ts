import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CliProject } from '../e2e/cli-project.ts';
import { localUser } from '../../src/access/local-user.ts';
import { type ServedProject, accessibilityFaults, openWindow, serve, waitUntilAnswerable } from './served-console.ts';

const count = 250;

describe('the list of sessions', () => {
  let served: ServedProject;
  before(async () => {
    served = await serve();
    for (let number = 1; number <= count; number += 1)
      await served.request('POST', '/api/sessions', { title: `Work ${number}.` });
  });

  it('scrolls to its end with only visible rows in the page, and restores the position on the way back', async () => {
    const { page, faults } = await openWindow(served);
    const list = page.getByRole('list', { name: 'Sessions' });
    await list.getByText(`Work ${count}.`).waitFor();
    const oldest = list.getByText('Work 1.', { exact: true });
    while ((await oldest.count()) === 0) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await list.locator('li').first().waitFor();
    }
    assert.ok((await list.getByRole('listitem').count()) < 60);
    assert.deepEqual(await accessibilityFaults(page), []);
    await oldest.click();
    await page.getByRole('heading', { name: 'Work 1.', level: 1 }).waitFor();
    await page.goBack();
    await oldest.waitFor();
    assert.ok(await oldest.isVisible());
    assert.deepEqual(faults, []);
  });

  it('searches all sessions, also those that were not loaded yet', async () => {
    const { page } = await openWindow(served, { width: 390 });
    await page.getByText(`Work ${count}.`).waitFor();
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('work 2.');
    await page.getByRole('link', { name: /Work 2\./ }).waitFor();
    assert.equal(await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count(), 1);
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('play');
    await page.getByText('No sessions match “play”').waitFor();
  });
});

describe('the permission mode of a session', () => {
  let served: ServedProject;
  before(async () => {
    served = await serve();
  });

  async function modeOf(id: string): Promise<string> {
    const session = (await served.request('GET', `/api/sessions/${id}`)) as { readonly permissionMode: string };
    return session.permissionMode;
  }

  it('is not changed by letters, and becomes weaker only after a confirmation, which is recorded', async () => {
    const { id } = (await served.request('POST', '/api/sessions', {})) as { id: string };
    const { page, faults } = await openWindow(served);
    await page.goto(`${served.url}/sessions/${id}`);
    const write = page.getByRole('region', { name: 'Call of write_note' });
    await page.getByRole('button', { name: 'run the tour' }).click();
    await waitUntilAnswerable(page, write);
    const mode = page.getByRole('button', { name: /^Permission mode: / });
    await mode.focus();
    await page.keyboard.press('b');
    await page.keyboard.press('a');
    await write.getByText('completed').waitFor();
    assert.equal(await modeOf(id), 'default');

    await mode.click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('radio', { name: /^Ask by policy/, checked: true })
      .and(page.locator(':focus'))
      .waitFor();
    for (const key of ['a', 'b']) await page.keyboard.press(key);
    await dialog.getByRole('radio', { name: /^Ask by policy/, checked: true }).waitFor();
    await dialog.getByRole('radio', { name: /^Bypass/ }).check();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: 'Change to Bypass?' })
      .getByText(/including calls that cannot be undone/)
      .waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    // A second Enter cancels, because the focus is on Cancel.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await modeOf(id), 'default');

    await mode.click();
    await dialog.getByRole('radio', { name: /^Bypass/ }).check();
    await dialog.getByRole('button', { name: 'Change…' }).click();
    await dialog.getByRole('button', { name: 'Run these calls without asking' }).click();
    await page.getByRole('button', { name: 'Permission mode: Bypass' }).waitFor();
    await page.getByText('calls run unasked', { exact: true }).waitFor();
    assert.equal(await modeOf(id), 'bypassPermissions');
    const { items } = (await served.request('GET', '/api/journal?type=ConfigurationChanged')) as {
      items: readonly { readonly details: readonly string[]; readonly by: { readonly id: string } }[];
    };
    assert.deepEqual(
      items.map(({ details, by }) => [...details, by.id]),
      [[`permission mode of session ${id}: default to bypassPermissions`, localUser().id]],
    );

    await mode.click();
    await dialog.getByRole('radio', { name: /^Plan/ }).check();
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByRole('button', { name: 'Permission mode: Plan' }).waitFor();
    await page.getByText('calls run unasked', { exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });
});

it('a new session offers the tour only where the demo server is available', async () => {
  for (const [project, suggestions] of [
    [new CliProject(), ['run the tour', 'ping the server', 'what tools do you have']],
    [
      new CliProject({ 'signalbox.config.json': '{ "mcpServers": {} }' }),
      ['ping the server', 'what tools do you have'],
    ],
  ] as const) {
    const served = await serve(project);
    const { id } = (await served.request('POST', '/api/sessions', {})) as { id: string };
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/sessions/${id}`);
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: suggestions[0] }).waitFor();
    assert.deepEqual(await page.locator('.suggestions button').allTextContents(), suggestions);
    await served.stop();
  }
});

it('a toast covers neither the buttons of the next prompt nor the button that sends a message', async () => {
  const served = await serve();
  for (const width of [1280, 390]) {
    const { id } = (await served.request('POST', '/api/sessions', {})) as { id: string };
    const { page, context } = await openWindow(served, { width });
    await page.goto(`${served.url}/sessions/${id}`);
    await page.getByRole('button', { name: 'run the tour' }).click();
    const write = page.getByRole('region', { name: 'Call of write_note' });
    await waitUntilAnswerable(page, write);
    await write.getByRole('button', { name: /^Approve/ }).click();
    const send = page.getByRole('region', { name: 'Call of send_note' });
    await waitUntilAnswerable(page, send);
    await page.getByRole('textbox', { name: 'Message' }).fill('ping the server');
    const buttons = [send.getByRole('button', { name: /^(Approve|Deny)/ }), page.getByRole('button', { name: 'Send' })];
    for (const button of (await Promise.all(buttons.map((each) => each.all()))).flat())
      // Fails when another element would receive the click.
      await button.click({ trial: true, timeout: 1000 });
    assert.equal(await page.locator('.toast', { hasText: 'Approved mcp__demo__write_note' }).count(), 1);
    await context.close();
  }
});
