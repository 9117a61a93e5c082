import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageOf, sendModern } from '../../../test/mcp-clients/raw.ts';
import { serving } from '../../../test/mcp-clients/serving.ts';
import { adminToken, startTestServer } from '../../../test/support/http/http-server.ts';
import { type Signalbox, createSignalbox, defineTool, localServer, sqliteStore } from '../../index.ts';
import { fullNames } from '../../core/tools/tool-names.ts';

const own = 'get_visible_text.of_the_page_that_is_open_right_now_in_the_browser';
const names = fullNames({ server: 'web', tool: own });
const [rendered = ''] = names;

function web(): ReturnType<typeof localServer> {
  const tool = { name: own, description: 'Reads.', input: { type: 'object' }, effect: 'read' } as const;
  return localServer({ name: 'web', tools: [defineTool({ ...tool, run: () => 'text' })] });
}

test('the journal and a backtest find the calls of a session by every name of the tool', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-names-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const openBox = async (): Promise<Signalbox> =>
    createSignalbox({ servers: [web()], store: sqliteStore({ file: join(directory, 'journal.db') }) });
  const first = await openBox();
  assert.equal((await first.call(rendered, {}, { session: 's' })).outcome, 'completed');
  await first.close();
  const box = await openBox();
  t.after(() => box.close());
  for (const name of [...names, own]) {
    await box.policies.set([
      { id: 'again', deny: `session.count('${name}') > 0` },
      { id: 'yes', allow: true },
    ]);
    const { outcome, decision } = await box.call(rendered, {}, { session: 's' });
    assert.deepEqual([outcome, decision?.rule], ['denied', 'again'], name);
    const { changed } = await box.policies.backtest([{ id: 'no', match: name, deny: true }]);
    assert.ok(
      changed.some(({ after }) => after.rule === 'no'),
      name,
    );
  }
});

test('an approval that is remembered under one name applies to calls under the others', async (t) => {
  const tool = { name: own, description: 'Pays.', input: { type: 'object' }, effect: 'compensable' } as const;
  const data = mkdtempSync(join(tmpdir(), 'signalbox-names-'));
  const server = localServer({ name: 'web', tools: [defineTool({ ...tool, run: () => 'paid' })] });
  const box = await createSignalbox({ data, servers: [server] });
  t.after(async () => {
    await box.close();
    rmSync(data, { recursive: true });
  });
  const by = { id: 'user:test', kind: 'human' } as const;
  const [, full = ''] = names;
  assert.equal((await box.call(full, {}, { waitMs: 0 })).outcome, 'awaiting-approval');
  const [approval] = await box.approvals.list();
  await box.approvals.approve(approval?.id ?? '', { by, remember: 'tool' });
  for (const name of names) assert.equal((await box.call(name)).outcome, 'completed', name);
});

test('HTTP and MCP clients reach a tool by every form of its full name', async (t) => {
  const { get, box, server } = await startTestServer(t);
  box.servers.add(web());
  for (const name of names) {
    const response = await get(`/api/tools/${encodeURIComponent(name)}`);
    assert.equal(((await response.json()) as { name: string }).name, rendered, name);
    const called = await fetch(`${server.url}/api/tools/${encodeURIComponent(name)}/call`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    assert.equal(called.status, 200, name);
  }
  box.servers.disable('web');
  for (const name of names) {
    const response = await get(`/api/tools/${encodeURIComponent(name)}`);
    assert.match(await response.text(), /the tool is hidden: server \\"web\\" is disabled/, name);
    assert.equal((await box.call(name)).error?.code, 'tool-hidden', name);
  }
  const { url } = await serving(t, { servers: [web()], builtin: false });
  for (const name of names) {
    const { result } = await messageOf(sendModern(url, 'tools/call', { name, arguments: {} }, {}));
    assert.equal(result?.content?.[0]?.text, 'text', name);
  }
});
