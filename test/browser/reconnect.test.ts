import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWindow, serve } from './served-console.ts';

test('an open session goes on after the server was started again, signed in and without a gap', async () => {
  const first = await serve();
  const { id } = (await first.ask('POST', '/api/sessions', { title: 'Long lived' })) as { id: string };
  const { page } = await openWindow(first);
  await page.goto(`${first.url}/sessions/${id}`);
  const say = page.getByRole('textbox', { name: 'Message' });
  await say.fill('ping the server');
  await say.press('Enter');
  await page.getByText('mcp__signalbox__ping answered').waitFor();
  await first.stop();
  await page.getByText('Reconnecting', { exact: true }).waitFor();

  const second = await serve(first.project, Number(new URL(first.url).port));
  // Said while this browser may still be on its way back.
  await second.ask('POST', `/api/sessions/${id}/messages`, { content: 'what tools do you have' });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(/I have \d+ tools/).waitFor();
  assert.equal(await page.getByText('mcp__signalbox__ping answered').count(), 1, 'nothing is told twice');
  await say.fill('ping once more');
  await say.press('Enter');
  await page.getByText('mcp__signalbox__ping answered').nth(1).waitFor();
});

test('a window that nobody looks at gives its connection back, and misses nothing', async () => {
  const served = await serve();
  const { id } = (await served.ask('POST', '/api/sessions', { title: 'Not seen' })) as { id: string };
  const { page } = await openWindow(served);
  await page.goto(`${served.url}/sessions/${id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const show = async (state: 'hidden' | 'visible'): Promise<void> => {
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })`,
    );
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  };
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes(`/sessions/${id}/events`));
  await show('hidden');
  await ended;
  await served.ask('POST', `/api/sessions/${id}/messages`, { content: 'ping the server' });
  await served.ask('POST', `/api/sessions/${id}/messages`, { content: 'what tools do you have' });
  await show('visible');
  await page.getByText('mcp__signalbox__ping answered').waitFor();
  await page.getByText(/I have \d+ tools/).waitFor();
});

test('a browser that the server does not know any more is told how to sign in again', async () => {
  const served = await serve();
  const { page, context } = await openWindow(served);
  await page.getByText('Live', { exact: true }).waitFor();
  await context.clearCookies();
  await page.getByRole('heading', { name: 'Signed out' }).waitFor();
});
