import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { CallResult } from '../../console/src/api/schema.ts';
import { newCallId } from '../../src/core/identifiers.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { type ServedProject, type Window, faultsInEveryLayout, openWindow, serve } from './served-console.ts';

const attack = '<img src=x onerror="document.title=\'taken over\'">';

/** The module of a server with a tool that returns a text and a tool that writes it to a file. */
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

const unknownCall = newCallId();

/** Writes the journal of a process that crashed: the outcome of `unknownCall` is unknown. */
async function writeUnknownCall(project: CliProject): Promise<void> {
  mkdirSync(project.data, { recursive: true });
  const store = sqliteStore({ file: join(project.data, 'signalbox.db') });
  const columns = { call: unknownCall, session: '', tool: 'mcp__desk__pay', at: Date.now() };
  const facts = { principal: { id: 'someone', kind: 'agent' }, arguments: {}, server: 'desk', effect: 'irreversible' };
  const outcome = { ...facts, durationMs: null, output: '' };
  await store.append([
    { ...columns, type: 'CallStarted', outcome: '', body: JSON.stringify(facts) },
    { ...columns, type: 'ToolInvoked', outcome: 'unknown', body: JSON.stringify(outcome) },
  ]);
  await store.close();
}

describe('the calls page', () => {
  let served: ServedProject;
  let window: Window;
  const call = (tool: string, args: object): Promise<CallResult> =>
    served.request('POST', `/api/tools/mcp__desk__${tool}/call`, { arguments: args }) as Promise<CallResult>;

  before(async () => {
    const project = new CliProject({
      'desk.ts': tools,
      'policies.yaml': rules,
      'signalbox.config.json': JSON.stringify({
        mcpServers: { desk: { module: './desk.ts', workspace: ['work'] } },
        policies: 'policies.yaml',
      }),
    });
    mkdirSync(join(project.directory, 'work'));
    writeFileSync(join(project.directory, 'work', 'a.txt'), 'before\n');
    await writeUnknownCall(project);
    served = await serve(project);
    window = await openWindow(served);
  });

  it('stores filters in the address, opens a call, and explains its decision as the CLI does', async () => {
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

  it('shows new calls automatically, and holds them back while the list is scrolled down', async () => {
    const { page } = window;
    for (let index = 0; index < 40; index += 1) await call('echo', { text: `call ${index}` });
    await page.goto(`${served.url}/calls?text=call+`);
    const list = page.getByRole('group', { name: 'Calls, newest first' });
    await page.getByText('40 calls', { exact: true }).waitFor();
    await call('echo', { text: 'call on top' });
    await page.getByText('41 calls', { exact: true }).waitFor();
    await list.evaluate((element) => (element.scrollTop = 200));
    const tenthCall = (): Promise<string | null> => page.locator('li[data-index="10"] a').getAttribute('href');
    const firstTenth = await tenthCall();
    await call('echo', { text: 'call held back' });
    await page.getByRole('button', { name: '1 new call' }).waitFor();
    assert.equal(await tenthCall(), firstTenth, 'rows in view must not move');
    await page.getByRole('button', { name: '1 new call' }).click();
    await page.getByText('42 calls', { exact: true }).waitFor();
  });

  it('undoes a call, and leaves the file unchanged on a conflict', async () => {
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
    await page.goto(`${served.url}/calls`);
    await page.locator(`a[href="/calls/${first.callId}"]`).getByText('undone', { exact: true }).waitFor();

    const second = await call('write', { text: 'once more\n' });
    writeFileSync(file, 'by somebody else\n');
    await page.goto(`${served.url}/calls/${second.callId}`);
    await changes.getByRole('button', { name: 'Undo', exact: true }).click();
    await changes.getByText('The files of the call have later changes').waitFor();
    await changes.getByText('a.txt').first().waitFor();
    assert.equal(readFileSync(file, 'utf8'), 'by somebody else\n');
  });

  it('lets a user settle a call whose outcome is unknown', async () => {
    const { page } = window;
    await page.goto(`${served.url}/calls/${unknownCall}`);
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
    await served.request('POST', '/api/tools/mcp__desk__echo/call', body);
    await page.goto(`${served.url}/calls?session=replayed`);
    await page.getByRole('link', { name: 'Replay' }).click();
    await page.getByLabel(/Rules to apply/).fill('- { id: shut, deny: true }');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 of 1 calls differ').waitFor();
    await page.getByRole('row', { name: /mcp__desk__echo completed denied/ }).waitFor();
  });

  it('shows HTML in arguments, results and file names as text', async () => {
    const { page, faults } = window;
    const echoed = await call('echo', { text: attack });
    // A slash would separate directories.
    const name = attack.replaceAll('/', '');
    const written = await call('write', { text: `${attack}\n`, file: name });
    for (const [{ callId }, minCount] of [
      [echoed, 2],
      [written, 3],
    ] as const) {
      await page.goto(`${served.url}/calls/${callId}`);
      await page.getByRole('region', { name: 'Record' }).waitFor();
      assert.ok((await page.getByText(attack).count()) >= minCount, 'the text is shown');
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

  it('shows the calls on a timeline and in charts, and the charts as tables', async () => {
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

  it('has no accessibility violations or errors in both themes, on desktop and phone', async () => {
    const { callId } = await call('write', { text: 'more\n', file: 'b.txt' });
    const paths = ['/calls', '/calls?view=timeline', '/calls?view=charts', `/calls/${callId}`, `/calls/${unknownCall}`];
    assert.deepEqual(await faultsInEveryLayout(served, paths), []);
  });

  it('mentions pruned calls if the selected period includes them', async () => {
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
