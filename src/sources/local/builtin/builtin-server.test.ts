import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../../signalbox/signalbox-options.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { defineTool } from '../define-tool.ts';
import { localServer } from '../local-server.ts';

async function boxWith(t: TestContext, options: SignalboxOptions = {}): Promise<Signalbox> {
  const box = await createSignalbox(options);
  t.after(() => box.close());
  return box;
}

describe('the built-in server', () => {
  test('is there unasked, under the name signalbox, and every tool of it only reads', async (t) => {
    const box = await boxWith(t);
    assert.deepEqual(
      box.tools().map(({ name, effect, idempotent }) => [name, effect, idempotent]),
      [
        ['mcp__signalbox__ping', 'read', true],
        ['mcp__signalbox__get_server_info', 'read', true],
        ['mcp__signalbox__read_result', 'read', true],
      ],
    );
  });

  test('goes by another name where one is given, and says that name', async (t) => {
    const box = await boxWith(t, { builtin: { name: 'house', port: 4242 } });
    assert.ok(box.tools().every(({ id }) => id.server === 'house'));
    const pong = await box.call('mcp__house__ping');
    assert.equal(pong.outcome, 'completed');
    const { timestamp, ...rest } = pong.structuredContent as Record<string, unknown>;
    assert.deepEqual(rest, { status: 'pong', server: 'house' });
    assert.ok(Math.abs(Date.now() - Date.parse(String(timestamp))) < 10_000);
  });

  test('can be left out, and its name taken', async (t) => {
    const box = await boxWith(t, { builtin: false, servers: [localServer({ name: 'signalbox' })] });
    assert.deepEqual(box.tools(), []);
    await assert.rejects(
      createSignalbox({ servers: [localServer({ name: 'signalbox' })] }),
      /two servers are named "signalbox"/,
    );
  });

  test('get_server_info tells the uptime only on request', async (t) => {
    const box = await boxWith(t, { builtin: { port: 4242 } });
    const brief = await box.call('mcp__signalbox__get_server_info');
    assert.deepEqual(brief.structuredContent, { product: 'Signalbox', port: 4242, version: box.version });
    const full = await box.call('mcp__signalbox__get_server_info', { include_uptime: true });
    assert.equal(typeof (full.structuredContent as Record<string, unknown>)['uptime_seconds'], 'number');
    assert.equal(
      (await box.call('mcp__signalbox__get_server_info', { include_uptime: 'yes' })).error?.code,
      'arguments-invalid',
    );
  });

  test('read_result leads an agent through its own large result, and nobody else', async (t) => {
    const whole = Array.from({ length: 5000 }, (_, index) => `line ${index} ä`).join('\n');
    const large = defineTool({ name: 'large', description: 'Returns a lot.', effect: 'read', run: () => whole });
    const box = await boxWith(t, {
      servers: [localServer({ name: 's', tools: [large] })],
      results: { maxBytes: 4096 },
    });
    const ada = { principal: { id: 'ada', kind: 'agent' } } as const;
    const { content } = await box.call('mcp__s__large', {}, ada);
    const link = content.find((block) => block.type === 'resource_link');
    assert.ok(link?.type === 'resource_link');

    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const result = await box.call('mcp__signalbox__read_result', { uri: link.uri, offset, limit: 1_000_000 }, ada);
      assert.equal(result.outcome, 'completed');
      const [page, note] = result.content;
      assert.ok(page?.type === 'text' && note?.type === 'text', 'a page is handed out whole, never shortened again');
      read += page.text;
      offset = /read on at offset (\d+)/.exec(note.text)
        ? Number(/read on at offset (\d+)/.exec(note.text)?.[1])
        : undefined;
    }
    assert.equal(read, whole);

    const other = await box.call(
      'mcp__signalbox__read_result',
      { uri: link.uri },
      { principal: { id: 'bob', kind: 'agent' } },
    );
    assert.equal(other.outcome, 'failed');
    assert.match(other.error.message, /there is no result .* that you can read/);
    for (const wrong of [{ offset: -1 }, { limit: 0 }, { offset: 1.5 }, { uri: 7 }]) {
      assert.equal(
        (await box.call('mcp__signalbox__read_result', { uri: link.uri, ...wrong }, ada)).error?.code,
        'arguments-invalid',
      );
    }
  });
});
