import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { localUser } from '../../src/access/local-user.ts';
import type { Locator, Page } from 'playwright-core';
import { CliProject } from '../e2e/cli-project.ts';
import { type ServedProject, type Window, accessibilityFaults, openWindow, serve } from './served-console.ts';
import { servedTools, wasAttacked } from './served-tools.ts';

/** The user who started the server, and gives the answers of the browser. */
const user = localUser().id;

describe('the tools page', () => {
  const project = new CliProject(servedTools);
  const notes = join(project.directory, 'files', 'notes.txt');
  let served: ServedProject;
  let window: Window;
  let page: Page;
  before(async () => {
    mkdirSync(join(project.directory, 'files'));
    writeFileSync(notes, 'first\n');
    served = await serve(project);
    window = await openWindow(served);
    ({ page } = window);
  });
  const open = async (path: string): Promise<void> => {
    await page.goto(served.url + path);
    await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
  };
  const run = async (): Promise<Locator> => {
    await page.getByRole('button', { name: 'Run' }).click();
    const outcome = page.getByRole('region', { name: 'Result' });
    await outcome.waitFor();
    return outcome;
  };

  it('finds a tool by text, server and effect, with only visible rows in the page', async () => {
    await open('/tools');
    const rows = page.getByRole('group', { name: 'Tools' }).getByRole('link');
    await page.getByText(/^1\d\d\d available, 2 hidden/).waitFor();
    assert.ok((await rows.count()) < 60, 'only visible rows may be in the page');
    await page.getByLabel('Search tools').fill('MANY_777');
    await page.getByRole('link', { name: /^many_777/ }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByLabel('Search tools').fill('');
    await page.getByLabel('Effect').selectOption('irreversible');
    await page.getByLabel('Server', { exact: true }).selectOption('shop');
    await page.getByRole('link', { name: /^pay/ }).click();
    await page.getByRole('heading', { name: 'pay', level: 2 }).waitFor();
    assert.equal(await rows.count(), 1, 'the filters must stay');
    assert.match(page.url(), /\/tools\/mcp__shop__pay\?effect=irreversible&server=shop$/);
  });

  it('can be navigated with the keyboard', async () => {
    await open('/tools?q=shop');
    const heading = page.getByRole('heading', { level: 2 });
    await page.getByRole('link', { name: /order/ }).first().waitFor();
    for (const [keys, tool] of [
      ['j', 'order'],
      ['j', 'pay'],
      ['k', 'order'],
    ] as const) {
      await page.keyboard.press(keys);
      await heading.and(page.getByText(tool, { exact: true })).waitFor();
    }
    await page.keyboard.press('/');
    await page.keyboard.type('ping');
    await page.getByText('No tools match these filters').waitFor();
    await page.keyboard.press('Escape');
    for (const key of ['g', 'v']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  });

  it('runs a tool with a form or with JSON, which have the same values', async () => {
    await open('/tools/mcp__shop__order');
    await page.getByLabel('item', { exact: true }).fill('tea');
    await page.getByLabel('count', { exact: true }).fill('3');
    await page.getByLabel('size', { exact: true }).selectOption('large');
    await page.getByLabel('gift', { exact: true }).selectOption('true');
    await page.getByLabel('note is null').check();
    await page.getByRole('button', { name: 'Add to tags' }).click();
    await page.getByRole('textbox', { name: 'tags 1' }).fill('warm');
    await page.getByLabel('street', { exact: true }).fill('Main');
    await page.getByLabel('Type of by').selectOption('In days');
    await page.getByLabel('by', { exact: true }).fill('1.5');
    const expected = {
      item: 'tea',
      count: 3,
      size: 'large',
      gift: true,
      note: null,
      tags: ['warm'],
      to: { street: 'Main' },
      by: 1.5,
    };
    const first = await run();
    assert.deepEqual(JSON.parse((await first.getByLabel('Text').textContent()) ?? ''), expected);
    await first.getByText('rule default:read').waitFor();

    await page.getByRole('tab', { name: 'JSON' }).click();
    const raw = page.getByLabel('Arguments as JSON');
    assert.deepEqual(JSON.parse(await raw.inputValue()), expected);
    await raw.fill('{ "item": ');
    assert.ok(await page.getByRole('button', { name: 'Run' }).isDisabled());
    await raw.fill('{ "item": "coffee", "count": "many" }');
    const second = await run();
    await second.getByText('failed').waitFor();
    await second.getByText('arguments-invalid').waitFor();
    await page.getByRole('tab', { name: 'Form' }).click();
    assert.equal(await page.getByLabel('item', { exact: true }).inputValue(), 'coffee');
    assert.equal(await page.getByLabel('count', { exact: true }).getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  it('shows the approval of a call in place, and its result after the answer', async () => {
    await open('/tools/mcp__shop__pay');
    await page.getByLabel('amount', { exact: true }).fill('5');
    const outcome = await run();
    await outcome.getByRole('button', { name: 'Edit' }).click();
    await outcome.getByLabel('Arguments to run with, as JSON').fill('{ "amount": 4 }');
    await outcome.getByRole('button', { name: 'Approve with edits' }).click();
    await outcome.getByText('paid 4').waitFor();
    await page.getByLabel('amount', { exact: true }).fill('6');
    const refused = await run();
    await refused.getByRole('button', { name: 'Deny' }).click();
    await refused.getByLabel(/^Reason/).fill('too much');
    await refused.getByRole('button', { name: 'Deny' }).click();
    await refused.getByText(new RegExp(`was refused by ${user}: too much`)).waitFor();
  });

  it('shows the changes of a call, and undoes them', async () => {
    await open('/tools/mcp__fixture__act');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByLabel('Arguments as JSON').fill(JSON.stringify({ file: notes, line: 'second' }));
    const outcome = await run();
    await outcome.getByRole('button', { name: 'Approve' }).click();
    await outcome.getByText('+second').waitFor();
    await outcome.getByRole('button', { name: 'Undo' }).click();
    await outcome.getByText('undone', { exact: true }).waitFor();
    assert.equal(readFileSync(notes, 'utf8'), 'first\n');
  });

  it('cancels a running call', async () => {
    await open('/tools/mcp__fixture__wait');
    await page.getByLabel('ms', { exact: true }).fill('60000');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await page.locator('.try').getByText('Running').waitFor({ state: 'detached' });
  });

  it('shows why a tool is hidden', async () => {
    await open('/tools?effect=hidden');
    await page.getByRole('link', { name: /^die hidden/ }).click();
    await page.getByText('Hidden: a configured pattern hides it').waitFor();
    await page.getByRole('article').getByText('hidden by deny pattern "die" in signalbox.config.json').waitFor();
  });

  it('shows HTML in definitions and results as text', async () => {
    await open('/tools?q=onerror');
    await page.getByRole('link', { name: /^<img src=x onerror/ }).click();
    await page.getByRole('heading', { name: /^<img src=x onerror/, level: 2 }).waitFor();
    await page.getByRole('link', { name: /^strike/ }).click();
    await page.getByRole('heading', { name: 'strike', level: 2 }).waitFor();
    await page.getByText('</script> description').last().waitFor();
    await page.getByText('</script> field').waitFor();
    const outcome = await run();
    await outcome.getByText('</script> result').waitFor();
    await outcome.getByText('Image (image/svg+xml)').waitFor();
    await outcome.getByText('javascript:window.attacked=true').waitFor();
    assert.equal(await outcome.locator('a[href^="javascript"]').count(), 0);
    for (const tab of ['Arguments', 'Details', 'Raw']) {
      await page.getByRole('tab', { name: tab }).click();
      assert.equal(await page.locator('img, script:not([src])').count(), 0, tab);
    }
    assert.equal(await wasAttacked(page), false);
    assert.deepEqual(window.faults, [], 'the content security policy must have nothing to block');
  });
});
