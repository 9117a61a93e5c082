import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type AnyTool,
  type CallOptions,
  type CallResult,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';
import { configuredServer } from '../../catalog/transforms/shaping/shape-source.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';

async function boxReturning(
  returned: unknown,
  maxBytes?: number,
  options: SignalboxOptions & { readonly output?: JsonObject } = {},
): Promise<Signalbox> {
  const { output, ...given } = options;
  const tool = { name: 'go', description: 'x', input: { type: 'object' }, effect: 'read' } as const;
  const run = (): never => returned as never;
  const go = output === undefined ? defineTool({ ...tool, run }) : defineTool({ ...tool, output, run });
  return createSignalbox({
    servers: [localServer({ name: 't', tools: [go] })],
    results: maxBytes === undefined ? {} : { maxBytes },
    ...given,
  });
}

function uriOf(result: CallResult): string {
  const link = result.content.find((block) => block.type === 'resource_link');
  assert.ok(link?.type === 'resource_link', 'an oversized result links to the whole');
  return link.uri;
}

/** Reads a result page by page as an agent would: with the tool, from the offset that each page names. */
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
  test('that cannot be stored do not fail a call that ran: the result has its beginning and explains the rest', async (t) => {
    const store = sqliteStore();
    store.storeResult = () => Promise.reject(new Error('no room'));
    let runs = 0;
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'irreversible',
      run: () => 'x'.repeat(400_000 + (runs += 1)),
    });
    const policies = [{ id: 'all', match: '*', allow: true }];
    const box = await createSignalbox({ store, policies, servers: [localServer({ name: 't', tools: [act] })] });
    t.after(() => box.close());
    const result = await box.call('mcp__t__act');
    assert.deepEqual([result.outcome, result.error, runs], ['completed', undefined, 1]);
    const [beginning, note, ...more] = result.content;
    assert.ok(beginning?.type === 'text' && note?.type === 'text' && more.length === 0);
    assert.equal(beginning.text, 'x'.repeat(48_000));
    assert.match(note.text, /has 400001 characters.*could not be stored: no room.*act has run; calling it again/);
    assert.equal(result._meta, undefined);
  });

  test('are returned as a preview with a link; a result at the limit is returned unchanged', async () => {
    const fitting = await boxReturning('x'.repeat(262_144));
    assert.equal((await fitting.call('mcp__t__go')).content.length, 1);
    await fitting.close();
    const line = `${'x'.repeat(99)}\n`;
    const box = await boxReturning(line.repeat(2622));
    const result = await box.call('mcp__t__go');
    assert.equal(result.outcome, 'completed');
    const [beginning, note] = result.content;
    assert.ok(beginning?.type === 'text' && note?.type === 'text');
    assert.equal(beginning.text, line.repeat(480), '48 KB, up to the end of a line');
    assert.match(uriOf(result), new RegExp(`^signalbox://results/${result.callId}$`));
    assert.match(note.text, /has 262200 characters, of which these are the first 48000\. Read on/);
    assert.ok(note.text.includes(`mcp__signalbox__read_result {"uri": "${uriOf(result)}", "offset": 48000}`));
    assert.deepEqual(result._meta?.['signalbox/result'], {
      uri: uriOf(result),
      mimeType: 'text/plain',
      characters: 262_200,
      bytes: 262_200,
    });
    await box.close();
  });

  test('do not include a page snapshot of 93 KB', async () => {
    const snapshot = Array.from(
      { length: 2000 },
      (_, line) => `- link "Entry ${line}" [ref=e${line}] [cursor=pointer]`,
    );
    const text = snapshot.join('\n');
    assert.ok(text.length > 90_000);
    const box = await boxReturning(text);
    assert.deepEqual((await box.call('mcp__t__go')).content, [{ type: 'text', text }]);
    await box.close();
  });

  test('are measured by the limits of the server or the tool where they have their own', async () => {
    const tool = (name: string): AnyTool =>
      defineTool({ name, description: 'x', effect: 'read', run: () => 'x'.repeat(3000) });
    const own = localServer({ name: 'own', tools: [tool('go'), tool('more')], results: { maxBytes: 1000 } });
    const configured = configuredServer(own, { origin: 'test', results: { more: { maxBytes: 5000 } } });
    const box = await createSignalbox({ servers: [configured, localServer({ name: 'free', tools: [tool('go')] })] });
    const blocks = async (name: string): Promise<number> => (await box.call(name)).content.length;
    assert.deepEqual(
      [await blocks('mcp__own__go'), await blocks('mcp__own__more'), await blocks('mcp__free__go')],
      [3, 1, 1],
    );
    await box.close();
  });

  test('name read_result as the caller sees it, or not at all where the caller cannot call it', async () => {
    const profiles = { narrow: { tools: ['mcp__t__*'] } };
    const box = await boxReturning('x'.repeat(400_000), undefined, { profiles, builtin: { name: 'house' } });
    const note = async (options: CallOptions): Promise<string> => {
      const block = (await box.call('mcp__t__go', {}, options)).content[1];
      return block?.type === 'text' ? block.text : '';
    };
    assert.match(await note({}), /Read on with the tool mcp__house__read_result \{/);
    assert.match(await note({ nameOf: ({ tool }) => `${tool}_2` }), /Read on with the tool read_result_2 \{/);
    assert.match(await note({ profile: 'narrow' }), /The full result is stored as signalbox:/);
    await box.close();
  });

  test('contain an image whole up to the size that models accept; a larger one is replaced by a note', async () => {
    const picture = (bytes: number): object => ({
      type: 'image',
      mimeType: 'image/png',
      data: 'A'.repeat((bytes * 4) / 3),
    });
    const screenshot = [{ type: 'text', text: 'the page' }, picture(600_000)];
    const box = await boxReturning(screenshot);
    assert.deepEqual((await box.call('mcp__t__go')).content, screenshot);
    await box.close();
    const large = await boxReturning([{ type: 'text', text: 'the page' }, picture(6_000_000), picture(30_000)]);
    const result = await large.call('mcp__t__go');
    const [page, named, small] = result.content;
    assert.deepEqual(page, { type: 'text', text: 'the page' });
    assert.ok(named?.type === 'text');
    assert.match(named.text, /^\[image image\/png, 5\.7 MB: omitted, because media is limited to 5 MB here/);
    assert.deepEqual(small, picture(30_000));
    assert.ok(uriOf(result).endsWith(result.callId));
    await large.close();
  });

  test('contain images of up to four times the limit for one', async () => {
    const picture = (name: string): object => ({ type: 'image', mimeType: 'image/png', data: name.repeat(1_000_000) });
    const pictures = [...'ABCDEF'].map(picture);
    const box = await boxReturning(pictures, undefined, { results: { maxMediaBytes: 1_000_000 } });
    const { content } = await box.call('mcp__t__go');
    assert.deepEqual(content.slice(0, 5), pictures.slice(0, 5));
    assert.equal(content[5]?.type, 'text');
    await box.close();
  });

  test('contain an image whole next to text that is shortened', async () => {
    const picture = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(600_000) };
    const box = await boxReturning([{ type: 'text', text: 'x'.repeat(400_000) }, picture]);
    const { content } = await box.call('mcp__t__go');
    assert.ok(content[0]?.type === 'text' && content[0].text.length === 48_000);
    assert.deepEqual(content[1], picture);
    await box.close();
  });

  test('can be read completely, page by page, with read_result', async () => {
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line} 😀 é`).join('\n');
    const box = await boxReturning(text);
    const uri = uriOf(await box.call('mcp__t__go'));
    assert.equal(await readByTool(box, uri, 100_000), text);
    assert.equal((await box.journal.result(uri, { offset: 7, limit: 5 })).text, text.slice(7, 12));
    await box.close();
  });

  test('can be read in pages even with a tiny limit', async () => {
    const text = 'é😀'.repeat(500);
    const box = await boxReturning(text, 600);
    assert.equal(await readByTool(box, uriOf(await box.call('mcp__t__go')), 100_000), text);
    await box.close();
  });

  test('are stored completely, also structured content, several blocks and images', async () => {
    const rows = Array.from({ length: 12_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const structured = await boxReturning({ rows });
    const result = await structured.call('mcp__t__go');
    const shown = (result.structuredContent as { rows: typeof rows }).rows;
    assert.deepEqual(shown, rows.slice(0, shown.length));
    assert.ok(shown.length > 1000 && shown.length < 3000, `${shown.length} rows`);
    assert.equal(result.content[0]?.type === 'text' && result.content[0].text, JSON.stringify({ rows: shown }));
    assert.deepEqual(JSON.parse(await readByTool(structured, uriOf(result), 50_000)), { rows });
    await structured.close();
    const content = [
      { type: 'text', text: 'a picture '.repeat(50_000) },
      { type: 'image', data: 'A'.repeat(50_000), mimeType: 'image/png' },
    ];
    const mixed = await boxReturning({ content });
    assert.deepEqual(JSON.parse(await readByTool(mixed, uriOf(await mixed.call('mcp__t__go')), 50_000)), { content });
    await mixed.close();
  });

  test('count text that repeats the structured content once', async () => {
    const text = 'x'.repeat(200_000);
    const output = { type: 'object', properties: { content: { type: 'string' } }, required: ['content'] };
    for (const repeated of [text, JSON.stringify({ content: text }), JSON.stringify({ content: text }, undefined, 2)]) {
      const whole = { content: [{ type: 'text', text: repeated }], structuredContent: { content: text } };
      const box = await boxReturning(whole, undefined, { output });
      const result = await box.call('mcp__t__go');
      assert.deepEqual([result.content, result.structuredContent], [whole.content, whole.structuredContent]);
      await box.close();
    }
    const different = { content: [{ type: 'text', text: 'y'.repeat(200_000) }], structuredContent: { content: text } };
    const box = await boxReturning(different, undefined, { output });
    const result = await box.call('mcp__t__go');
    assert.ok(Buffer.byteLength(JSON.stringify(result)) < 50_000);
    assert.deepEqual(JSON.parse(await readByTool(box, uriOf(result), 50_000)), different);
    await box.close();
  });

  test('have shortened structured content that matches its schema, and text that repeats it', async () => {
    const output = {
      type: 'object',
      properties: { path: { type: 'string', minLength: 3 }, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    };
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line} 😀 é`).join('\n');
    const structuredContent = { path: 'a.txt', content: text };
    const box = await boxReturning({ content: [{ type: 'text', text }], structuredContent }, undefined, { output });
    const result = await box.call('mcp__t__go');
    const short = result.structuredContent as typeof structuredContent;
    const [shown, note] = result.content;
    assert.ok(shown?.type === 'text' && note?.type === 'text');
    assert.equal(short.path, 'a.txt');
    assert.equal(short.content, shown.text);
    assert.match(shown.text, /\n\[… \d+ more characters: mcp__signalbox__read_result \{"uri": "signalbox:[^"]+"\}\]$/);
    const offset = Number(/"offset": (\d+)/.exec(note.text)?.[1]);
    assert.ok(offset > 30_000 && shown.text.startsWith(text.slice(0, offset)));
    assert.equal(await readByTool(box, uriOf(result), 100_000), text);
    await box.close();
  });

  test('contain structured content whole when it cannot be shortened, and only its text is cut', async () => {
    const numbers = Array.from({ length: 60_000 }, (_, index) => index);
    const output = {
      type: 'object',
      properties: { numbers: { type: 'array', items: { type: 'number' }, minItems: 60_000 } },
      required: ['numbers'],
    };
    const box = await boxReturning({ numbers }, undefined, { output });
    const { outcome, content, structuredContent } = await box.call('mcp__t__go');
    const passed = (structuredContent as { readonly numbers: readonly number[] }).numbers;
    // Only the count: the difference of two long lists takes minutes to print.
    assert.deepEqual([outcome, content.length, passed.length], ['completed', 3, numbers.length]);
    assert.ok(content[0]?.type === 'text' && content[0].text.length <= 48_000);
    await box.close();
  });

  test('count text that is declared as an image or a file as text', async () => {
    const prose = 'not a picture. '.repeat(30_000);
    const base64 = 'A'.repeat(400_000);
    for (const block of [
      { type: 'image', mimeType: 'text/plain', data: base64 },
      { type: 'image', mimeType: 'image/png', data: prose },
      { type: 'resource', resource: { uri: 'a:b', blob: prose } },
    ]) {
      const box = await boxReturning({ content: [block] });
      const result = await box.call('mcp__t__go');
      assert.ok(JSON.stringify(result.content).length < 50_000);
      assert.ok(uriOf(result));
      await box.close();
    }
  });

  test('of failed calls are shortened too, and the calls stay failed', async () => {
    const box = await boxReturning({ content: [{ type: 'text', text: 'e'.repeat(400_000) }], isError: true });
    const result = await box.call('mcp__t__go');
    assert.equal(result.outcome, 'failed');
    assert.equal((await box.journal.result(uriOf(result), { limit: 50_000 })).total, 400_000);
    await box.close();
  });

  test('can be read with the tool only by the caller', async () => {
    const box = await boxReturning('x'.repeat(400_000));
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

  test('are stored without registered secrets', async () => {
    const box = await boxReturning(`${'x'.repeat(400_000)} hunter2-hunter2`, undefined, {
      secrets: { PASSWORD: 'hunter2-hunter2' },
    });
    const page = await box.journal.result(uriOf(await box.call('mcp__t__go')), { offset: 399_990, limit: 100 });
    assert.match(page.text, /\[redacted:PASSWORD\]/);
    await box.close();
  });
});
