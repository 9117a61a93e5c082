import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { CliProject } from '../e2e/cli-project.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { type ServedProject, accessibilityFaults, openWindow, serve } from './served-console.ts';

describe('the resources page', () => {
  const { command, args } = fixtureProgram();
  const project = new CliProject({
    'signalbox.config.json': JSON.stringify({ mcpServers: { fixture: { command, args } } }),
  });
  let served: ServedProject;
  let page: Page;
  before(async () => {
    served = await serve(project);
    ({ page } = await openWindow(served));
    await page.goto(`${served.url}/resources`);
    await page.getByText('4 resources, 1 prompt').waitFor();
  });

  it('finds and reads resources, also those of a template, and shows the error of an unknown URI', async () => {
    await page.getByLabel('Search resources and prompts').fill('note://two');
    await page.getByRole('link', { name: /^two/ }).click();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('region', { name: 'Contents' }).getByText('the text of note://two').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByLabel('Search resources and prompts').fill('template');
    await page.getByRole('link', { name: /^note template/ }).click();
    await page.getByLabel('URI').fill('note://three');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Contents' }).getByText('the text of note://three').waitFor();
    await page.getByLabel('URI').fill('note://nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('there is no note://nowhere').waitFor();
  });

  it('previews a prompt, and starts a session with it', async () => {
    await page.goto(`${served.url}/resources?q=greet`);
    await page.getByRole('link', { name: /^greet/ }).click();
    await page.getByLabel('who').fill('Ada');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'Messages' }).getByText('user: Greet Ada.').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL(/\/sessions\/sess_/);
    await page.getByText('Greet Ada.').first().waitFor();
  });
});
