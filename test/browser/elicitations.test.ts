import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { localUser } from '../../src/access/local-user.ts';
import type { Page } from 'playwright-core';
import { CliProject } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { teaSchema } from '../support/sessions/eliciting-server.ts';
import { type ServedProject, type Window, accessibilityFaults, openWindow, serve } from './served-console.ts';

/** The user who started the server, and gives the answers of the browser. */
const user = localUser().id;

describe('requests of a server in a session', () => {
  let served: ServedProject;
  const visits: string[] = [];
  const website = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end('signed in');
  });
  before(async () => {
    await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
    const { command, args } = fixtureProgram('legacy');
    const config = { mcpServers: { shop: { command, args } } };
    served = await serve(new CliProject({ 'signalbox.config.json': JSON.stringify(config) }));
    const isUp = async (): Promise<boolean> => {
      const { items } = (await served.request('GET', '/api/servers')) as { items: { name: string; status: string }[] };
      return items.some(({ name, status }) => name === 'shop' && status === 'up');
    };
    await until(isUp, 'the server is up');
  });
  after(() => website.close());

  /** Opens a session with a call whose server sends this request to its client. */
  async function openRequest(
    method: string,
    params: object,
  ): Promise<Window & { card: ReturnType<Page['getByRole']> }> {
    const { id } = (await served.request('POST', '/api/sessions', { agent: 'demo' })) as { id: string };
    const content = `call mcp__shop__request ${JSON.stringify({ method, params })}`;
    await served.request('POST', `/api/sessions/${id}/messages`, { content });
    const window = await openWindow(served);
    await window.page.goto(`${served.url}/sessions/${id}`);
    const card = window.page.getByRole('form', { name: 'Question from the server shop' });
    await card.waitFor();
    return { ...window, card };
  }

  it('shows a form with every kind of field and its defaults, and submits it, also after a reload', async () => {
    const params = { mode: 'form', message: 'How do you take your tea?', requestedSchema: teaSchema };
    const { page, card, faults } = await openRequest('elicitation/create', params);
    await page.reload();
    await card.getByText('How do you take your tea?').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    const submit = card.getByRole('button', { name: 'Submit' });
    assert.equal(await submit.isDisabled(), true, 'a required field is empty');
    assert.equal(await card.getByLabel('Spoons of sugar').inputValue(), '1');
    assert.equal(await card.getByLabel('honey').isChecked(), true);
    await card.getByLabel('Your name').fill('Ann');
    await card.getByLabel('Spoons of sugar').fill('-1');
    await submit.click();
    await card.getByText(/\$\.sugar must be >= 0/).waitFor();
    await card.getByLabel('Spoons of sugar').fill('2');
    await card.getByLabel('Milk').check();
    await card.getByLabel('Size').selectOption({ label: 'Large mug' });
    await card.getByLabel('ginger').check();
    await submit.click();
    await page.getByText(new RegExp(`shop asked: How do you take your tea\\? Answered by ${user}\\.`)).waitFor();
    const expected = { milk: true, name: 'Ann', size: 'l', sugar: 2, extras: ['honey', 'ginger'] };
    const text =
      (await page
        .getByRole('region', { name: 'Call of request' })
        .getByText(/"action":"accept"/)
        .textContent()) ?? '';
    assert.deepEqual((JSON.parse(text) as { content: object }).content, expected);
    assert.deepEqual(
      faults.filter((fault) => !/422/.test(fault)),
      [],
    );
  });

  it('shows the full address and the host of a page, and opens it in a new tab on a click', async () => {
    const { port } = website.address() as AddressInfo;
    const url = `http://accounts.example.org@127.0.0.1:${port}/sign-in?state=1`;
    const params = { mode: 'url', message: 'Sign in to the shop.', url, elicitationId: 'own' };
    const { page, card, context } = await openRequest('elicitation/create', params);
    await card.getByText(url, { exact: true }).waitFor();
    assert.equal(await card.locator('.page-address strong').textContent(), `127.0.0.1:${port}`);
    assert.deepEqual(visits, [], 'nothing is fetched before the click');
    const opened = context.waitForEvent('page');
    await card.getByRole('link', { name: `Open 127.0.0.1:${port}` }).click();
    await (await opened).getByText('signed in').waitFor();
    assert.equal(visits[0], '/sign-in?state=1');
    await page.getByText(new RegExp(`Sign in to the shop\\. Answered by ${user}\\.`)).waitFor();
  });

  it('shows a sampling request in full, and lets the user allow or decline it', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Which tea is best?' } }];
    const params = { messages, systemPrompt: 'You know tea.', maxTokens: 30 };
    const first = await openRequest('sampling/createMessage', params);
    for (const shown of ['demo', 'You know tea.', '"Which tea is best?"'])
      await first.card.getByText(shown, { exact: true }).waitFor();
    assert.deepEqual(await accessibilityFaults(first.page), []);
    await first.card.getByRole('button', { name: 'Allow once' }).click();
    await first.page.getByText('demo answered shop').waitFor();
    const second = await openRequest('sampling/createMessage', params);
    await second.card.getByRole('button', { name: 'Decline' }).click();
    await second.page.getByText(new RegExp(`Declined by ${user}\\.`)).waitFor();
  });
});
