import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CallResult, type Signalbox, createSignalbox, defineTool, localServer } from '../index.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';

async function boxReturning(
  returned: unknown,
  maxBytes?: number,
  secrets: Record<string, string> = {},
): Promise<Signalbox> {
  const go = defineTool({
    name: 'go',
    description: 'x',
    input: { type: 'object' },
    effect: 'read',
    run: () => returned,
  });
  return createSignalbox({
    servers: [localServer({ name: 't', tools: [go] })],
    results: maxBytes === undefined ? {} : { maxBytes },
    secrets,
  });
}

function uriOf(result: CallResult): string {
  const link = result.content.find((block) => block.type === 'resource_link');
  assert.ok(link?.type === 'resource_link', 'an oversized result links to the whole');
  return link.uri;
}

/** Pages through a result as an agent would: by the tool, following what each page says. */
async function readByTool(box: Signalbox, uri: string, limit: number): Promise<string> {
  let read = '';
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: CallResult = await box.call('mcp__signalbox__read_result', { uri, offset, limit });
    assert.equal(page.outcome, 'completed');
    const [text, note] = page.content;
    assert.ok(text?.type === 'text' && note?.type === 'text');
    read += text.text;
    const next: RegExpExecArray | null = /read on at offset (\d+)/.exec(note.text);
    offset = next === null ? undefined : Number(next[1]);
  }
  return read;
}

describe('oversized results', () => {
  test('one that finds no room does not make a failure of a call that ran: its beginning is there, and what became of the rest', async (t) => {
    const store = sqliteStore();
    store.keepResult = () => Promise.reject(new Error('no room'));
    let runs = 0;
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'irreversible',
      run: () => 'x'.repeat(40_000 + (runs += 1)),
    });
    const policies = [{ id: 'all', match: '*', allow: true }];
    const box = await createSignalbox({ store, policies, servers: [localServer({ name: 't', tools: [act] })] });
    t.after(() => box.close());
    const result = await box.call('mcp__t__act');
    assert.deepEqual([result.outcome, result.error, runs], ['completed', undefined, 1]);
    const [beginning, note, ...more] = result.content;
    assert.ok(beginning?.type === 'text' && note?.type === 'text' && more.length === 0);
    assert.equal(beginning.text, 'x'.repeat(2000));
    assert.match(note.text, /has 40001 characters.*could not be kept: no room.*act has run; calling it again/);
  });

  test('a result at the limit is handed out as it is, one beyond it as a preview with a link', async () => {
    const fitting = await boxReturning('x'.repeat(32_768));
    assert.equal((await fitting.call('mcp__t__go')).content.length, 1);
    await fitting.close();
    const box = await boxReturning('x'.repeat(32_769));
    const result = await box.call('mcp__t__go');
    assert.equal(result.outcome, 'completed');
    assert.ok(JSON.stringify(result.content).length < 4000, 'the preview is small');
    assert.match(uriOf(result), new RegExp(`^signalbox://results/${result.callId}$`));
    await box.close();
  });

  test('a picture is handed out whole up to what models take; a larger one is named, not begun', async () => {
    const picture = (bytes: number): object => ({
      type: 'image',
      mimeType: 'image/png',
      data: 'A'.repeat((bytes * 4) / 3),
    });
    const screenshot = [{ type: 'text', text: 'the page' }, picture(600_000)];
    const box = await boxReturning(screenshot);
    assert.deepEqual((await box.call('mcp__t__go')).content, screenshot);
    await box.close();
    const large = await boxReturning([{ type: 'text', text: 'the page' }, picture(6_000_000)]);
    const { content } = await large.call('mcp__t__go');
    assert.deepEqual(content[0], { type: 'text', text: 'the page\n[image image/png]' });
    assert.ok(JSON.stringify(content).length < 1000);
    await large.close();
  });

  test('an agent can page through the whole with read_result; nothing is lost', async () => {
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line} 😀 é`).join('\n');
    const box = await boxReturning(text);
    const uri = uriOf(await box.call('mcp__t__go'));
    assert.equal(await readByTool(box, uri, 100_000), text);
    assert.equal((await box.readResult(uri, { offset: 7, limit: 5 })).text, text.slice(7, 12));
    await box.close();
  });

  test('pages stay readable even when the limit is tiny', async () => {
    const text = 'é😀'.repeat(500);
    const box = await boxReturning(text, 600);
    assert.equal(await readByTool(box, uriOf(await box.call('mcp__t__go')), 100_000), text);
    await box.close();
  });

  test('structured results, many blocks and images are kept whole too', async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}` }));
    const structured = await boxReturning({ rows });
    const result = await structured.call('mcp__t__go');
    assert.equal(result.structuredContent, undefined);
    assert.deepEqual(JSON.parse(await readByTool(structured, uriOf(result), 9_000)), { rows });
    await structured.close();
    const content = [
      { type: 'text', text: 'a picture '.repeat(5000) },
      { type: 'image', data: 'A'.repeat(50_000), mimeType: 'image/png' },
    ];
    const mixed = await boxReturning({ content });
    assert.deepEqual(JSON.parse(await readByTool(mixed, uriOf(await mixed.call('mcp__t__go')), 9_000)), { content });
    await mixed.close();
  });

  test('a failed call’s large output is bounded as well and stays failed', async () => {
    const box = await boxReturning({ content: [{ type: 'text', text: 'e'.repeat(40_000) }], isError: true });
    const result = await box.call('mcp__t__go');
    assert.equal(result.outcome, 'failed');
    assert.equal((await box.readResult(uriOf(result), { limit: 50_000 })).total, 40_000);
    await box.close();
  });

  test('only whoever made the call can read its result with the tool', async () => {
    const box = await boxReturning('x'.repeat(40_000));
    const uri = uriOf(await box.call('mcp__t__go', {}, { principal: { id: 'ann', kind: 'agent' } }));
    const foreign = await box.call('mcp__signalbox__read_result', { uri }, { principal: { id: 'bob', kind: 'agent' } });
    const missing = await box.call('mcp__signalbox__read_result', { uri: 'signalbox://results/call_none' });
    assert.equal(foreign.outcome, 'failed');
    assert.equal(
      foreign.error?.message.replace(uri, ''),
      missing.error?.message.replace('signalbox://results/call_none', ''),
    );
    await box.close();
  });

  test('registered secrets are not kept in results', async () => {
    const box = await boxReturning(`${'x'.repeat(40_000)} hunter2-hunter2`, undefined, { PASSWORD: 'hunter2-hunter2' });
    const page = await box.readResult(uriOf(await box.call('mcp__t__go')), { offset: 39_990, limit: 100 });
    assert.match(page.text, /\[redacted:PASSWORD\]/);
    await box.close();
  });
});
