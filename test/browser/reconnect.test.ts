import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityFaults, openWindow, serve } from './served-console.ts';

test('an open session continues after the server was restarted, signed in, without lost or repeated events', async () => {
  const first = await serve();
  const { id } = (await first.request('POST', '/api/sessions', { title: 'Long lived' })) as { id: string };
  const { page } = await openWindow(first);
  await page.goto(`${first.url}/sessions/${id}`);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('ping the server');
  await message.press('Enter');
  await page.getByText('mcp__signalbox__ping answered').waitFor();
  await first.stop();
  await page.getByText('Reconnecting', { exact: true }).waitFor();
  const banner = page.getByText('Not connected. This page may be outdated.');
  await banner.waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  const second = await serve(first.project, Number(new URL(first.url).port));
  // The browser may not be connected again yet.
  await second.request('POST', `/api/sessions/${id}/messages`, { content: 'what tools do you have' });
  await page.getByText('Live', { exact: true }).waitFor();
  await banner.waitFor({ state: 'detached' });
  await page.getByText(/I have \d+ tools/).waitFor();
  assert.equal(await page.getByText('mcp__signalbox__ping answered').count(), 1, 'events must not be shown twice');
  await message.fill('ping once more');
  await message.press('Enter');
  await page.getByText('mcp__signalbox__ping answered').nth(1).waitFor();
});

test('a hidden window closes its connection, and shows all events when it is visible again', async () => {
  const served = await serve();
  const { id } = (await served.request('POST', '/api/sessions', { title: 'Not seen' })) as { id: string };
  const { page } = await openWindow(served);
  await page.goto(`${served.url}/sessions/${id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const setVisibility = async (state: 'hidden' | 'visible'): Promise<void> => {
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })`,
    );
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  };
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes(`/sessions/${id}/events`));
  await setVisibility('hidden');
  await ended;
  await served.request('POST', `/api/sessions/${id}/messages`, { content: 'ping the server' });
  await served.request('POST', `/api/sessions/${id}/messages`, { content: 'what tools do you have' });
  await setVisibility('visible');
  await page.getByText('mcp__signalbox__ping answered').waitFor();
  await page.getByText(/I have \d+ tools/).waitFor();
});

test('a browser without a valid cookie shows that it is signed out', async () => {
  const served = await serve();
  const { page, context } = await openWindow(served);
  await page.getByText('Live', { exact: true }).waitFor();
  await context.clearCookies();
  await page.getByRole('heading', { name: 'Signed out' }).waitFor();
});
