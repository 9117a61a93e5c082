import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { CliProject } from '../e2e/cli-project.ts';
import {
  type ServedProject,
  accessibilityFaults,
  openWindow,
  serve,
  token,
  waitUntilAnswerable,
} from './served-console.ts';

// A right-to-left override, which reverses the text after it.
const reversed = '\u202egpj.exe';
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const tools = `
import { defineTool } from 'signalbox';
const hostile = ${JSON.stringify(hostile)};
export const pay = defineTool({
  name: 'pay', title: hostile, description: hostile, effect: 'irreversible',
  input: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } }, required: ['to'] } as const,
  run: ({ to, amount }) => 'paid ' + amount + ' to ' + to,
});
export const write = defineTool({
  name: 'write', description: 'Writes.', effect: 'undoable',
  input: { type: 'object', properties: { text: { type: 'string' } } } as const,
  run: ({ text }) => 'wrote ' + text,
});
export const rename = defineTool({
  name: 'rename', description: 'Renames.', effect: 'undoable',
  input: { type: 'object', properties: { to: { type: 'string' } } } as const,
  run: ({ to }) => 'renamed to ' + to,
});
export const speak = defineTool({ name: 'speak', description: hostile, effect: 'read', run: () => hostile });
`;
const policies = `
- id: big-spend
  match: mcp__bank__pay
  ask: args.amount > 100
  reason: large sums are asked about
`;

describe('the inbox', () => {
  let served: ServedProject;
  before(async () => {
    const configuration = JSON.stringify({ mcpServers: { bank: { module: './tools.ts' } }, policies: 'policies.yaml' });
    const files = { 'tools.ts': tools, 'policies.yaml': policies, 'signalbox.config.json': configuration };
    served = await serve(new CliProject(files));
  });

  // Denies calls that a failed test left pending.
  afterEach(async () => {
    const { items } = (await served.request('GET', '/api/approvals')) as { items: readonly { readonly id: string }[] };
    for (const { id } of items) await served.request('POST', `/api/approvals/${id}/deny`, {});
  });

  /** Calls a tool as a script that waits for the approval. */
  function call(tool: string, args: unknown): Promise<unknown> {
    return served.request('POST', `/api/tools/mcp__bank__${tool}/call`, { arguments: args });
  }

  it('shows each pending call when it arrives, and can be used with the keyboard only', async () => {
    const { page, faults } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    await page.getByText('Nothing is waiting for you').waitFor();
    const first = call('pay', { to: 'ann', amount: 1 });
    await page.getByText('"ann"').waitFor();
    const second = call('pay', { to: 'bob', amount: 2 });
    await page.getByRole('list', { name: 'Waiting calls' }).getByRole('button').nth(1).waitFor();
    await page.getByRole('link', { name: 'Inbox 2 waiting' }).waitFor();
    assert.match(await page.title(), /^\(2\) Inbox/);
    assert.deepEqual(await accessibilityFaults(page), []);

    const shown = page.getByRole('region', { name: 'Approval of mcp__bank__pay' });
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await shown.getByText('"bob"').waitFor();
    await page.keyboard.press('j');
    await shown.getByText('"ann"').waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Yes, run it' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    const { outcome, callId } = (await first) as { readonly outcome: string; readonly callId: string };
    assert.equal(outcome, 'completed');
    await shown.getByText('"bob"').waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('d');
    await page.keyboard.type('too much');
    await page.keyboard.press('Enter');
    const denied = (await second) as { readonly outcome: string; readonly callId: string };
    assert.equal(denied.outcome, 'denied');
    await page.getByText('Nothing is waiting for you').waitFor();
    await page.goto(`${served.url}/calls/${callId}`);
    await page.getByText(/^[\d.]+ m?s: waited [\d.]+ m?s for approval, ran [\d.]+ m?s$/).waitFor();
    await page.goto(`${served.url}/calls/${denied.callId}`);
    await page.getByText(/^[\d.]+ m?s: waited [\d.]+ m?s for approval, did not run$/).waitFor();
    assert.deepEqual(faults, []);
  });

  it('keeps the displayed call when others arrive, and one key press answers one call', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    const rows = page.getByRole('list', { name: 'Waiting calls' }).getByRole('button');
    const shown = page.getByRole('region', { name: 'Approval of mcp__bank__rename' });
    const first = call('rename', { to: 'ann' });
    await shown.getByText('"ann"').waitFor();
    const others = ['bob', 'cy'].map((to) => call('rename', { to }));
    await rows.nth(2).waitFor();
    await shown.getByText('"ann"').waitFor();
    await waitUntilAnswerable(page);
    // The key stays down, so the second event is a repetition.
    await page.keyboard.down('a');
    assert.equal(((await first) as { outcome: string }).outcome, 'completed');
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.keyboard.down('a');
    await page.keyboard.up('a');

    await shown.getByText(/"(bob|cy)"/).waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('e');
    await shown.getByRole('textbox', { name: /Arguments/ }).blur();
    await page.keyboard.press('a');
    await shown.getByRole('textbox', { name: /Arguments/ }).press('Escape');
    await shown.getByRole('button', { name: /^Approve/ }).waitFor();
    const { items } = (await served.request('GET', '/api/approvals')) as { items: unknown[] };
    assert.equal(items.length, 2, 'only the first call was answered');
    for (const index of [1, 0]) {
      await shown.getByRole('button', { name: /^Deny/ }).click();
      await page.keyboard.press('Enter');
      await rows.nth(index).waitFor({ state: 'detached' });
    }
    for (const other of await Promise.all(others)) assert.equal((other as { outcome: string }).outcome, 'denied');
  });

  it('sends a notification of the browser for a pending call while the page is hidden', async () => {
    const { page, context } = await openWindow(served);
    await context.grantPermissions(['notifications'], { origin: served.url });
    // Logs each notification. A browser without a screen reports "denied" even if the permission was granted.
    await page.addInitScript(`
      globalThis.Notification = class extends Notification {
        static permission = 'granted';
        constructor(title, options) {
          super(title, options);
          console.info(JSON.stringify({ title, ...options }));
        }
      };`);
    await page.goto(`${served.url}/inbox`);
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByRole('button', { name: 'Notifications on', pressed: true }).waitFor();
    await page.goto(`${served.url}/tools`);
    await page.getByText('Live', { exact: true }).waitFor();
    const notification = page.waitForEvent('console', (message) => message.type() === 'info');
    const visibleCall = call('pay', { to: 'ann', amount: 500 });
    await page.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
    // Effects run after the paint.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })");
    const hiddenCall = call('pay', { to: 'bob', amount: 500 });
    const options = JSON.parse((await notification).text()) as unknown;
    const { items } = (await served.request('GET', '/api/approvals')) as { items: { id: string }[] };
    assert.deepEqual(options, {
      title: 'mcp__bank__pay needs your approval',
      body: 'large sums are asked about',
      tag: items[0]?.id,
    });
    for (const { id } of items) await served.request('POST', `/api/approvals/${id}/deny`, {});
    await Promise.all([visibleCall, hiddenCall]);
  });

  it('shows the rule that requires approval, its file and line, and the values that it checked', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    const pending = call('pay', { to: 'ann', amount: 500 });
    const shown = page.getByRole('region', { name: 'Approval of mcp__bank__pay' });
    await shown.getByText('large sums are asked about').waitFor();
    await shown.getByText(/rule big-spend · policies\.yaml:2/).waitFor();
    await shown.getByText('Values checked').click();
    await shown.locator('.decision .json-fact', { hasText: '500' }).waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Yes, run it' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(((await pending) as { outcome: string }).outcome, 'completed');
  });

  it('reports that another user answered first', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    // Another user denies the call just before the approval of this window arrives.
    await page.route('**/api/approvals/*/approve', async (route) => {
      const id = /approvals\/([^/]+)\//.exec(route.request().url())?.[1] ?? '';
      await served.request('POST', `/api/approvals/${id}/deny`, { reason: 'I was first' });
      await route.continue();
    });
    const pending = call('pay', { to: 'eve', amount: 3 });
    await page.getByText('"eve"').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByRole('button', { name: 'Yes, run it' }).click();
    await page.getByText('was already denied by').first().waitFor();
    assert.equal(((await pending) as { outcome: string }).outcome, 'denied');
    await page.locator('.answered', { hasText: /^Denied mcp__bank__pay by / }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Nothing is waiting for you').waitFor();
  });

  it('remembers an approval, after showing how its recorded calls were answered', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    const refused = call('write', { text: 'one' });
    await page.getByText('"one"').waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    await refused;
    const pending = call('write', { text: 'two' });
    await page.getByText('"two"').waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'mcp__bank__write, with any arguments' }).check();
    await dialog.getByText('1 of them was denied.').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await dialog.getByRole('button', { name: 'Approve and remember' }).click();
    assert.equal(((await pending) as { outcome: string }).outcome, 'completed');
    assert.equal(((await call('write', { text: 'three' })) as { outcome: string }).outcome, 'completed');
    const { items } = (await served.request('GET', '/api/approvals/rules')) as { items: { scope: string }[] };
    assert.deepEqual(
      items.map(({ scope }) => scope),
      ['tool'],
    );
  });

  it('says in the dialog that remembers an irreversible call whether the call runs now', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    const caller = new AbortController();
    const waiting = fetch(`${served.url}/api/tools/mcp__bank__pay/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { to: 'dan', amount: 4 } }),
      signal: caller.signal,
    }).catch(() => undefined);
    await page.getByText('"dan"').waitFor();
    await waitUntilAnswerable(page);
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This call runs now and cannot be undone.').waitFor();
    await dialog.getByRole('button', { name: 'Run it and remember' }).waitFor();
    caller.abort();
    await waiting;
    await dialog.getByText('Approving does not run the call now.').waitFor();
    assert.equal(await dialog.getByText('runs now').count(), 0);
    const approve = dialog.getByRole('button', { name: 'Approve for later and remember' });
    assert.ok(await approve.isDisabled(), 'a button with a new meaning is held back');
    assert.deepEqual(await accessibilityFaults(page), []);
    await approve.and(page.locator(':enabled')).waitFor();
  });

  it('accepts a key at once after the user went back from a step', async () => {
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/inbox`);
    const pending = call('pay', { to: 'eve', amount: 5 });
    const shown = page.getByRole('region', { name: 'Approval of mcp__bank__pay' });
    await waitUntilAnswerable(page);
    await page.keyboard.press('a');
    await shown.getByText('This cannot be undone.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    assert.equal(await page.getByText(/^Ignored/).count(), 0);
    await shown.getByRole('textbox', { name: /^Reason/ }).press('Enter');
    assert.equal(((await pending) as { outcome: string }).outcome, 'denied');
  });

  it('shows HTML of tools and in arguments as text', async () => {
    const { page, faults } = await openWindow(served);
    const { id } = (await served.request('POST', '/api/sessions', { title: hostile })) as { id: string };
    await page.goto(`${served.url}/sessions/${id}`);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill(`call speak\ncall pay ${JSON.stringify({ to: hostile, amount: 1, [hostile]: reversed })}`);
    await message.press('Enter');
    await page.getByRole('region', { name: 'Call of speak' }).getByText('completed').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await page.goto(`${served.url}/inbox`);
    await page.getByText('"\\u202egpj.exe"').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByRole('button', { name: 'Yes, run it' }).click();
    await page.getByText('Nothing is waiting for you').waitFor();
    await page.goto(`${served.url}/`);
    await page.getByText(hostile).waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.doesNotMatch(await page.title(), /owned/);
    assert.deepEqual(faults, []);
  });
});
