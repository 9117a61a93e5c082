/**
 * Takes the screenshots of the README: the tour with the demo model in a real browser.
 *
 *   npm run screenshots
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { root } from '../support/command.ts';
import { openWindow, serve, waitUntilAnswerable } from './served-console.ts';

const directory = join(root, 'docs', 'images');
mkdirSync(directory, { recursive: true });

async function screenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(directory, `${name}.png`) });
}

// A test, because the server and the browser are closed after tests.
test('screenshots of the console', async () => {
  const served = await serve();
  const { page } = await openWindow(served, { height: 800 });
  await page.getByRole('button', { name: 'Take the tour' }).click();
  const write = page.getByRole('region', { name: 'Call of write_note' });
  await write.getByText('waiting for you').waitFor();

  await page.getByRole('textbox', { name: 'Message' }).blur();
  await waitUntilAnswerable(page, write);
  await page.keyboard.press('a');
  const send = page.getByRole('region', { name: 'Call of send_note' });
  await waitUntilAnswerable(page, send);
  // Without the toast about the approved call.
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await write.scrollIntoViewIfNeeded();
  await screenshot(page, 'session');

  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  await page.getByText('That was the tour.').waitFor();

  const dark = await openWindow(served, { theme: 'dark', height: 800 });
  await dark.page.goto(`${served.url}/calls`);
  await dark.page
    .getByRole('link', { name: /read_note/ })
    .first()
    .waitFor();
  await screenshot(dark.page, 'calls');
});
