import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type ServedProject, accessibilityFaults, openWindow, serve } from './served-console.ts';

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
