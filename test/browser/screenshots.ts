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
import { openWindow, serve, takesAnswer } from './served-console.ts';

const pictures = join(root, 'docs', 'images');
mkdirSync(pictures, { recursive: true });

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

// A test, so that the server and browser are closed at its end.
test('pictures of the console', async () => {
  const served = await serve();
  const { page } = await openWindow(served, { height: 800 });
  await page.getByRole('button', { name: 'Take the tour' }).click();
  const write = page.getByRole('region', { name: 'Call of write_note' });
  await write.getByText('waiting for you').waitFor();

  await page.getByRole('textbox', { name: 'Message' }).blur();
  await takesAnswer(page, write);
  await page.keyboard.press('a');
  const send = page.getByRole('region', { name: 'Call of send_note' });
  await takesAnswer(page, send);
  await write.scrollIntoViewIfNeeded();
  await take(page, 'session');

  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  await page.getByText('That was the tour.').waitFor();

  const night = await openWindow(served, { theme: 'dark', height: 800 });
  await night.page.goto(`${served.url}/calls`);
  await night.page
    .getByRole('link', { name: /read_note/ })
    .first()
    .waitFor();
  await take(night.page, 'calls');
});
