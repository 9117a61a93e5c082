import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { CallResult } from '../../console/src/api/schema.ts';
import { newCallId } from '../../src/core/identifiers.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { type ServedProject, type Window, faultsInEveryLook, openWindow, serve } from './served-console.ts';

const attack = '<img src=x onerror="document.title=\'taken over\'">';

/** Tools that write what they are told, and give back what they were given. */
const tools = `
import { writeFileSync } from 'node:fs';
import { defineTool } from 'signalbox';
const text = { type: 'object', properties: { text: { type: 'string' }, file: { type: 'string' } } } as const;
export const echo = defineTool({ name: 'echo', description: 'Echoes.', effect: 'read', input: text, run: ({ text }) => text ?? '' });
export const write = defineTool({
  name: 'write', description: 'Writes.', effect: 'undoable', input: text,
  run: ({ text, file }) => { writeFileSync('work/' + (file ?? 'a.txt'), text ?? ''); return 'written'; },
});
`;
const rules = `- id: no-shouting
  match: mcp__desk__echo
  deny: args.text == "LOUD"
  reason: speak softly
- { id: writes, match: mcp__desk__write, allow: true }
`;

const lost = newCallId();

/** A journal as it is after a crash: a call began, and nobody knows how it ended. */
async function cutOff(place: CliProject): Promise<void> {
  mkdirSync(place.data, { recursive: true });
  const store = sqliteStore({ file: join(place.data, 'signalbox.db') });
  const columns = { call: lost, session: '', tool: 'mcp__desk__pay', at: Date.now() };
  const facts = { principal: { id: 'someone', kind: 'agent' }, arguments: {}, server: 'desk', effect: 'irreversible' };
  const ended = { ...facts, durationMs: null, output: '' };
  await store.append([
    { ...columns, type: 'CallStarted', outcome: '', body: JSON.stringify(facts) },
    { ...columns, type: 'ToolInvoked', outcome: 'unknown', body: JSON.stringify(ended) },
  ]);
  await store.close();
}

describe('the calls page', () => {
  let served: ServedProject;
  let window: Window;
  const call = (tool: string, given: object): Promise<CallResult> =>
    served.ask('POST', `/api/tools/mcp__desk__${tool}/call`, { arguments: given }) as Promise<CallResult>;

  before(async () => {
    const place = new CliProject({
      'desk.ts': tools,
      'policies.yaml': rules,
      'signalbox.config.json': JSON.stringify({
        mcpServers: { desk: { module: './desk.ts', workspace: ['work'] } },
        policies: 'policies.yaml',
      }),
    });
    mkdirSync(join(place.directory, 'work'));
    writeFileSync(join(place.directory, 'work', 'a.txt'), 'before\n');
    await cutOff(place);
    served = await serve(place);
    window = await openWindow(served);
  });

  it('is narrowed by filters in its address, opens a call, and says why it was decided so, as the CLI does', async () => {
    const { page, faults } = window;
    await call('echo', { text: 'soft' });
    const { callId } = await call('echo', { text: 'LOUD' });
    await page.goto(`${served.url}/calls`);
    await page.locator('a.call-row').nth(1).waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('denied');
    await page.waitForURL(/outcome=denied/);
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.reload();
    await page.locator('a.call-row', { hasText: 'denied' }).click();
    await page.waitForURL(`${served.url}/calls/${callId}`);
    const why = page.getByRole('region', { name: 'Why' });
    const explained = await served.project.json(['policy', 'explain', callId]);
    const { rule, at, reason, values, policy } = explained['decision'] as Record<string, string> & { values: object };
    for (const part of [`rule ${rule} · ${at}`, reason, `policy version ${policy}`, ...Object.keys(values), 'LOUD'])
      await why.getByText(String(part)).first().waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows new calls by themselves, and keeps them back while somebody reads further down', async () => {
    const { page } = window;
    for (let index = 0; index < 40; index += 1) await call('echo', { text: `call ${index}` });
    await page.goto(`${served.url}/calls?text=call+`);
    const list = page.getByRole('group', { name: 'Calls, newest first' });
    await page.getByText('40 calls', { exact: true }).waitFor();
    await call('echo', { text: 'call on top' });
    await page.getByText('41 calls', { exact: true }).waitFor();
    await list.evaluate((element) => (element.scrollTop = 200));
    const isAt = (): Promise<string | null> => page.locator('li[data-index="10"] a').getAttribute('href');
    const read = await isAt();
    await call('echo', { text: 'call kept back' });
    await page.getByRole('button', { name: '1 new call' }).waitFor();
    assert.equal(await isAt(), read, 'what is read stays where it is');
    await page.getByRole('button', { name: '1 new call' }).click();
    await page.getByText('42 calls', { exact: true }).waitFor();
  });

  it('undoes a call, and with a conflict touches nothing', async () => {
    const { page } = window;
    const file = join(served.project.directory, 'work', 'a.txt');
    const first = await call('write', { text: 'after\n' });
    assert.equal(first.outcome, 'completed', JSON.stringify(first));
    await page.goto(`${served.url}/calls/${first.callId}`);
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText('-before').waitFor();
    await changes.getByRole('button', { name: 'Undo' }).click();
    await changes.getByText('undone', { exact: true }).waitFor();
    assert.equal(readFileSync(file, 'utf8'), 'before\n');

    const second = await call('write', { text: 'once more\n' });
    writeFileSync(file, 'by somebody else\n');
    await page.goto(`${served.url}/calls/${second.callId}`);
    await changes.getByRole('button', { name: 'Undo', exact: true }).click();
    await changes.getByText('The files of the call have later changes').waitFor();
    await changes.getByText('a.txt').first().waitFor();
    assert.equal(readFileSync(file, 'utf8'), 'by somebody else\n');
  });

  it('takes what a human found out about a call whose outcome is unknown', async () => {
    const { page } = window;
    await page.goto(`${served.url}/calls/${lost}`);
    const unknown = page.getByRole('region', { name: 'Outcome unknown' });
    await unknown.getByRole('textbox').fill('the bank says so');
    await unknown.getByRole('button', { name: 'Completed' }).click();
    await unknown.getByText(/Settled as completed by .*the bank says so/).waitFor();
    await page.goto(`${served.url}/calls?outcome=unknown`);
    await page.getByText('unknown, settled: completed').waitFor();
  });

  it('replays the calls of a session', async () => {
    const { page } = window;
    const body = { arguments: { text: 'once' }, sessionId: 'replayed' };
    await served.ask('POST', '/api/tools/mcp__desk__echo/call', body);
    await page.goto(`${served.url}/calls?session=replayed`);
    await page.getByRole('link', { name: 'Replay' }).click();
    await page.getByLabel(/Rules to apply/).fill('- { id: shut, deny: true }');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 of 1 calls differ').waitFor();
    await page.getByRole('row', { name: /mcp__desk__echo completed denied/ }).waitFor();
  });

  it('shows HTML in arguments, results and names of files as text', async () => {
    const { page, faults } = window;
    const echoed = await call('echo', { text: attack });
    // A slash would be a directory.
    const name = attack.replaceAll('/', '');
    const written = await call('write', { text: `${attack}\n`, file: name });
    for (const [{ callId }, times] of [
      [echoed, 2],
      [written, 3],
    ] as const) {
      await page.goto(`${served.url}/calls/${callId}`);
      await page.getByRole('region', { name: 'Record' }).waitFor();
      assert.ok((await page.getByText(attack).count()) >= times, 'it is there to read');
      assert.equal(await page.locator('img').count(), 0);
      assert.match(await page.title(), /mcp__desk__/);
    }
    await page.goto(`${served.url}/calls?text=${encodeURIComponent('<img')}&view=timeline`);
    await page.locator('a.bar').first().waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('409')),
      [],
    );
  });

  it('draws the calls along the time and counts them, with the same as a table', async () => {
    const { page } = window;
    await page.goto(`${served.url}/calls?view=timeline`);
    await page.locator('a.bar').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/calls\/call_/);
    await page.goto(`${served.url}/calls?view=charts`);
    await page.getByRole('img', { name: /calls from .* at most/ }).waitFor();
    await page.getByText('Show as table').first().click();
    await page.getByRole('columnheader', { name: 'completed', exact: true }).waitFor();
    await page.getByRole('link', { name: 'mcp__desk__write' }).click();
    await page.waitForURL(/tool=mcp__desk__write/);
  });

  it('can be used by everybody, in both themes, on a desk and on a phone', async () => {
    const { callId } = await call('write', { text: 'more\n', file: 'b.txt' });
    const paths = ['/calls', '/calls?view=timeline', '/calls?view=charts', `/calls/${callId}`, `/calls/${lost}`];
    assert.deepEqual(await faultsInEveryLook(served, paths), []);
  });

  it('tells who looks as far back as that, what was pruned', async () => {
    const { page } = window;
    const archive = join(served.project.directory, 'old.jsonl');
    const until = new Date().toISOString();
    const { code, stderr } = await served.project.run(['journal', 'prune', '--older-than', until, '--export', archive]);
    assert.equal(code, 0, stderr);
    const note = page.getByText(/^Calls up to .* were pruned and are in the archive\.$/);
    await page.goto(`${served.url}/calls?text=nowhere`);
    await page.getByRole('heading', { name: 'No calls match these filters' }).waitFor();
    await note.waitFor();
    await call('echo', { text: 'after' });
    for (const view of ['table', 'timeline', 'charts']) {
      await page.goto(`${served.url}/calls?view=${view}`);
      await note.waitFor();
      await page.goto(`${served.url}/calls?view=${view}&since=${until}`);
      await page.locator('.call-foot, .timeline, .charts').waitFor();
      assert.equal(await note.count(), 0, view);
    }
  });
});
