import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type ServedProject, accessibilityFaults, faultsInEveryLayout, openWindow, serve } from './served-console.ts';

describe('the console', () => {
  let served: ServedProject;
  before(async () => {
    served = await serve();
  });

  it('the printed link signs in, and opens the sessions with the first steps', async () => {
    const { page, faults } = await openWindow(served);
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByRole('button', { name: /Take the tour/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(page.url(), `${served.url}/`, 'the sign-in code must not stay in the address');
    assert.deepEqual(faults, []);
  });

  it('a dialog keeps the focus, and returns it to its button when it closes', async () => {
    const { page } = await openWindow(served);
    const focused = page.locator(':focus');
    await page.getByRole('button', { name: 'New session' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Agent' }).and(focused).waitFor();
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      assert.equal(await page.locator(':focus:not(dialog *, body)').count(), 0, 'the focus is behind the dialog');
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New session' }).first().and(focused).waitFor();
  });

  it('the example rule has no errors', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/policies`);
    await page.getByRole('button', { name: 'Insert example' }).click();
    await page.getByText('1 rule, no errors').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('an unknown address shows that it was not found, with a link to the sessions', async () => {
    const { page } = await openWindow(served);
    const response = await page.goto(`${served.url}/nowhere`);
    assert.equal(response?.status(), 404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole('link', { name: 'Go to the sessions' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.goto(`${served.url}/sessions/none`);
    await page.getByRole('heading', { name: 'Session not found' }).waitFor();
  });

  it('a sign-in link signs in another browser; signing out applies to all of its windows', async () => {
    const { url: signInUrl } = (await served.request('POST', '/api/sign-in-links')) as { url: string };
    const { page, context } = await openWindow({ url: served.url, signInUrl });
    const other = await context.newPage();
    await other.goto(`${served.url}/calls`);
    await other.locator('.connection.live').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByRole('heading', { name: 'Signed out' }).waitFor();
  });

  it('pages have no accessibility violations or errors in both themes, on desktop and phone', async () => {
    const tool = '/tools/mcp__signalbox__ping';
    const paths = ['/', '/inbox', '/tools', tool, '/servers', '/servers/signalbox', '/calls', '/policies', '/lock'];
    assert.deepEqual(await faultsInEveryLayout(served, paths, 'h1'), []);
  });
});
