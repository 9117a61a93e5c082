import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Approval, CallResult } from '../../console/src/api/schema.ts';
import { CliProject, notesProject } from '../e2e/cli-project.ts';
import {
  type ServedProject,
  type Window,
  accessibilityFaults,
  faultsInEveryLayout,
  openWindow,
  serve,
} from './served-console.ts';

const rules = `- { id: lists, match: mcp__notes__list, allow: true }
- { id: someday, match: mcp__notes__list, deny: true, mode: shadow }
`;

describe('the policies page', () => {
  let served: ServedProject;
  let window: Window;
  let file: string;
  const call = (tool: string, args: object): Promise<CallResult> =>
    served.request('POST', `/api/tools/mcp__notes__${tool}/call`, {
      arguments: args,
      waitSeconds: 0,
    }) as Promise<CallResult>;

  before(async () => {
    const configuration = JSON.parse(notesProject['signalbox.config.json']) as object;
    const project = new CliProject({
      ...notesProject,
      'policies.yaml': rules,
      'signalbox.config.json': JSON.stringify({ ...configuration, policies: 'policies.yaml' }),
    });
    file = join(project.directory, 'policies.yaml');
    served = await serve(project);
    window = await openWindow(served);
  });

  it('shows an error with line and column while the user types, and disables saving', async () => {
    const { page, faults } = window;
    await page.goto(`${served.url}/policies`);
    const editor = page.getByRole('textbox', { name: 'Rules, as YAML' });
    await page.getByText('2 rules, no errors').waitFor();
    await editor.fill(`${rules}- id: wrong\n  denny: true\n`);
    await page.getByRole('button', { name: /^4:3 .*denny.* did you mean "deny"/ }).click();
    assert.equal(
      await editor.evaluate((field: { selectionStart?: number }) => field.selectionStart),
      rules.length + 14,
    );
    assert.equal(await page.getByRole('button', { name: 'Save and apply' }).isDisabled(), true);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('2 rules, no errors').waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows which calls changed rules would have decided differently, and keeps unsaved rules', async () => {
    const { page } = window;
    await call('list', {});
    await page.goto(`${served.url}/policies`);
    const editor = page.getByRole('textbox', { name: 'Rules, as YAML' });
    await editor.fill('- { id: closed, match: mcp__notes__list, deny: true, reason: "not today" }\n');
    await page.getByRole('link', { name: 'Backtest' }).first().click();
    await page.getByRole('button', { name: 'Run backtest' }).click();
    await page.getByText('1 of 1 calls would be decided differently').waitFor();
    const row = page.getByRole('row', { name: /mcp__notes__list/ });
    await row.getByText('lists').waitFor();
    await row.getByText('closed').waitFor();
    await row.getByText('not today').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await row.getByRole('link').click();
    await page.getByRole('region', { name: 'Why' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Rules', exact: true }).click();
    assert.match(await editor.inputValue(), /id: closed/);
  });

  it('applies saved rules, and does not overwrite a file that was changed elsewhere', async () => {
    const { page } = window;
    await page.goto(`${served.url}/policies`);
    const editor = page.getByRole('textbox', { name: 'Rules, as YAML' });
    await editor.fill('- { id: closed, match: mcp__notes__list, deny: true }\n');
    await page.getByRole('button', { name: 'Save and apply' }).click();
    await page.getByText(/^Applied version/).waitFor();
    assert.match(readFileSync(file, 'utf8'), /^- \{ id: closed/);
    await page.getByRole('region', { name: 'Active rules' }).getByText('closed').first().waitFor();
    const { decision } = await call('list', {});
    assert.deepEqual([decision?.answer, decision?.rule], ['deny', 'closed']);

    await editor.fill(`${await editor.inputValue()}# mine\n`);
    writeFileSync(file, `${rules}# theirs\n`);
    await page.getByText('The file was changed elsewhere').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save and apply' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Load file' }).click();
    await page.getByText('2 rules, no errors').waitFor();
    assert.match(await editor.inputValue(), /# theirs/);
  });

  it('explains a recent call, and shows what shadow rules would have decided', async () => {
    const { page } = window;
    assert.equal((await call('list', {})).decision?.rule, 'lists');
    await page.goto(`${served.url}/policies?view=explain`);
    await page.getByRole('region', { name: 'Why' }).getByText('rule lists').waitFor();
    await page.getByRole('link', { name: 'Shadow' }).click();
    const row = page.getByRole('row', { name: /mcp__notes__list/ }).first();
    await row.getByText('someday').waitFor();
  });

  it('lists a remembered approval with its allowed calls, and revokes it', async () => {
    const { page } = window;
    const asked = await call('add', { text: 'milk' });
    assert.equal(asked.outcome, 'awaiting-approval');
    const { items } = (await served.request('GET', '/api/approvals')) as { items: readonly Approval[] };
    await served.request('POST', `/api/approvals/${items[0]?.id}/approve`, { remember: 'arguments' });
    for (let time = 0; time < 2; time += 1) assert.equal((await call('add', { text: 'milk' })).outcome, 'completed');
    await page.goto(`${served.url}/policies?view=remembered`);
    const rule = page.getByRole('list', { name: 'Remembered rules' }).getByRole('listitem');
    await rule.getByText('mcp__notes__add with exactly these arguments').waitFor();
    await rule.getByText(/calls? allowed/).waitFor();
    const views = ['rules', 'explain', 'shadow', 'remembered'].map((view) => `/policies?view=${view}`);
    assert.deepEqual(await faultsInEveryLayout(served, views), []);
    await rule.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'No remembered approvals' }).waitFor();
    assert.equal((await call('add', { text: 'milk' })).outcome, 'awaiting-approval');
  });
});
