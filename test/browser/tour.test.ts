import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { localUser } from '../../src/access/local-user.ts';
import { type ServedProject, accessibilityFaults, openWindow, serve, waitUntilAnswerable } from './served-console.ts';

/** The user who started the server, and gives the answers of the browser. */
const user = localUser().id;

describe('the tour', () => {
  let served: ServedProject;
  before(async () => {
    served = await serve();
  });

  it('leads from a message through an edited approval and its diff to undo', async () => {
    const { page, faults } = await openWindow(served);
    const note = join(served.project.data, 'demo', 'tour.txt');
    await page.getByRole('button', { name: 'New session' }).first().click();
    await page.getByRole('button', { name: 'Create session' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('run the tour');
    await message.press('Enter');

    const read = page.getByRole('region', { name: 'Call of read_note' });
    await read.getByText('completed').waitFor();
    const write = page.getByRole('region', { name: 'Call of write_note' });
    await write.getByText('waiting for you').waitFor();
    await write.getByText('rule default:undoable').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);

    await message.blur();
    await waitUntilAnswerable(page, write);
    await page.keyboard.press('e');
    const edited = write.getByRole('textbox', { name: /Arguments/ });
    await edited.fill('{"name": "tour", "text": "A human was here."');
    assert.ok(
      await write.getByRole('button', { name: 'Approve with edits' }).isDisabled(),
      'invalid JSON must not be approvable',
    );
    await edited.fill('{"name": "tour", "text": "A human was here."}');
    await write.getByRole('button', { name: 'Approve with edits' }).click();

    await write.getByText('+A human was here.').waitFor();
    assert.equal(readFileSync(note, 'utf8'), 'A human was here.');
    await write.getByText(`approved by ${user}`).click();
    await write.getByText('Ran with edited arguments').waitFor();

    const send = page.getByRole('region', { name: 'Call of send_note' });
    await waitUntilAnswerable(page, send);
    await page.keyboard.press('d');
    await page.keyboard.type('not to a friend');
    await page.keyboard.press('Enter');
    await send.getByText(`was refused by ${user}: not to a friend`).waitFor();
    await page.getByText('That was the tour.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^the read: ran$/ })
      .waitFor();

    await write.getByRole('button', { name: 'Undo' }).click();
    await write.getByText('undone', { exact: true }).waitFor();
    assert.ok(!existsSync(note));
    await page.reload();
    await write.getByText('undone', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(faults, []);
  });

  it('a second browser shows the same session, and can answer', async () => {
    const { id } = (await served.request('POST', '/api/sessions', { title: 'Shared' })) as { id: string };
    const [first, second] = [await openWindow(served), await openWindow(served, { theme: 'dark', width: 390 })];
    for (const { page } of [first, second]) await page.goto(`${served.url}/sessions/${id}`);
    await first.page.getByRole('textbox', { name: 'Message' }).fill('ask me something');
    await first.page.getByRole('button', { name: 'Send' }).click();
    await second.page.getByRole('radio', { name: 'Green' }).check();
    await second.page.getByRole('button', { name: 'Answer' }).click();
    for (const { page, faults } of [first, second]) {
      await page.getByText(/ask_user answered: .*Green/).waitFor();
      assert.deepEqual(faults, []);
    }
    assert.deepEqual(await accessibilityFaults(second.page), []);
  });

  it('a session can be renamed, forked and deleted', async () => {
    const { id } = (await served.request('POST', '/api/sessions', { title: 'Old name' })) as { id: string };
    const { page } = await openWindow(served);
    await page.goto(`${served.url}/sessions/${id}`);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('New name');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Permission mode: Ask by policy' }).click();
    await page.getByRole('radio', { name: /^Plan/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await page.getByRole('button', { name: 'Permission mode: Plan' }).waitFor();
    await page.getByRole('button', { name: /^Fork/ }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(id));
    await page.goto(`${served.url}/sessions/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Sessions' }).waitFor();
    assert.equal(await page.locator(`a[href="/sessions/${id}"]`).count(), 0);
    await page.goto(`${served.url}/sessions/${id}`);
    await page.getByRole('heading', { name: 'Session not found' }).waitFor();
  });
});
