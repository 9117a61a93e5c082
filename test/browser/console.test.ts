import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type ServedPlace, accessibilityFaults, openWindow, serve } from './browser-place.ts';

describe('the console', () => {
  let served: ServedPlace;
  before(async () => {
    served = await serve();
  });

  it('opens by the printed link, signed in, with what can be done next', async () => {
    const { page, faults } = await openWindow(served);
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByRole('button', { name: /Take the tour/ }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(page.url(), `${served.url}/`, 'the code is not in the address');
    assert.deepEqual(faults, []);
  });

  it('keeps the focus in a dialog, and gives it back where it was', async () => {
    const { page } = await openWindow(served);
    const focused = page.locator(':focus');
    await page.getByRole('button', { name: 'New session' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('combobox', { name: 'Agent' }).and(focused).waitFor();
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      assert.equal(await page.locator(':focus:not(dialog *, body)').count(), 0, 'behind the dialog');
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New session' }).first().and(focused).waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    for (const [name, width] of [
      ['a desk', 1280],
      ['a phone', 390],
    ] as const)
      it(`can be used by everybody, in the ${theme} theme, as wide as ${name}`, async () => {
        const { page, faults } = await openWindow(served, { theme, width });
        for (const path of [
          '/',
          '/inbox',
          '/tools',
          '/tools/mcp__signalbox__ping',
          '/servers',
          '/servers/signalbox',
          '/calls',
          '/policies',
          '/lock',
        ]) {
          await page.goto(served.url + path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.locator('.connection.live').waitFor({ state: 'attached' });
          assert.deepEqual(await accessibilityFaults(page), [], path);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`);
        }
        assert.deepEqual(faults, []);
      });
});
