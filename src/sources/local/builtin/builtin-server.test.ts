import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { SignalboxError } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { ResultPage } from '../../../journal/store/store.ts';
import type { Signalbox } from '../../../signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../../signalbox/signalbox-options.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { defineTool } from '../define-tool.ts';
import { localServer } from '../local-server.ts';
import { type BuiltinDependencies, ping, readResult, serverInfo } from './builtin-server.ts';

async function boxWith(t: TestContext, options: SignalboxOptions = {}): Promise<Signalbox> {
  const box = await createSignalbox(options);
  t.after(() => box.close());
  return box;
}

describe('the built-in server', () => {
  test('is mounted by default as "signalbox", with tools that only read', async (t) => {
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

  test('uses a configured name', async (t) => {
    const box = await boxWith(t, { builtin: { name: 'own', port: 4242 } });
    assert.ok(box.tools().every(({ id }) => id.server === 'own'));
    const pong = await box.call('mcp__own__ping');
    assert.equal(pong.outcome, 'completed');
    const { timestamp, ...rest } = pong.structuredContent as Record<string, unknown>;
    assert.deepEqual(rest, { status: 'pong', server: 'own' });
    assert.ok(Math.abs(Date.now() - Date.parse(String(timestamp))) < 10_000);
  });

  test('can be disabled, which frees its name', async (t) => {
    const box = await boxWith(t, { builtin: false, servers: [localServer({ name: 'signalbox' })] });
    assert.deepEqual(box.tools(), []);
    await assert.rejects(
      createSignalbox({ servers: [localServer({ name: 'signalbox' })] }),
      /two servers are named "signalbox"/,
    );
  });

  test('get_server_info returns the uptime only on request', async (t) => {
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

  test('read_result returns a large result page by page, to its own agent only', async (t) => {
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
      assert.ok(page?.type === 'text' && note?.type === 'text', 'a page is never shortened');
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

const uptimeSeconds = (): number => 61.6;

test('serverInfo returns product, version and port, without the uptime by default', () => {
  assert.deepEqual(serverInfo({ version: '1.2.3', port: 4242, uptimeSeconds }, false), {
    product: 'Signalbox',
    port: 4242,
    version: '1.2.3',
  });
});

test('serverInfo returns the uptime in whole seconds on request', () => {
  assert.deepEqual(serverInfo({ version: '1.2.3', port: 4242, uptimeSeconds }, true), {
    product: 'Signalbox',
    port: 4242,
    version: '1.2.3',
    uptime_seconds: 62,
  });
});

test('serverInfo returns null where there is no port', () => {
  assert.equal(serverInfo({ version: '1.2.3', port: undefined, uptimeSeconds }, false).port, null);
});

test('ping returns "pong" with the time and the server', () => {
  const now = (): Date => new Date('2026-11-15T10:00:00Z');
  assert.deepEqual(ping({ server: 'own', now }), {
    status: 'pong',
    timestamp: '2026-11-15T10:00:00.000Z',
    server: 'own',
  });
});

const stored = { owner: 'ada', text: 'abcdefghijklmnopqrstuvwxyz', mimeType: 'text/plain' };
const ada: Principal = { id: 'ada', kind: 'agent' };

/** Returns a store with one result, which records the reads. */
function resultStore(
  longestPage = 100,
): Pick<BuiltinDependencies, 'readResult' | 'longestPage'> & { reads: [string, number, number][] } {
  const reads: [string, number, number][] = [];
  return {
    reads,
    longestPage,
    async readResult(id, offset, limit): Promise<ResultPage | undefined> {
      reads.push([id, offset, limit]);
      if (id !== 'call_1') return undefined;
      const end = offset + limit;
      const { text, ...facts } = stored;
      return {
        ...facts,
        text: text.slice(offset, end),
        offset,
        total: text.length,
        ...(end < text.length ? { next: end } : {}),
      };
    },
  };
}

describe('readResult', () => {
  test('returns a page of the caller’s own result, with the offset of the next', async () => {
    const page = await readResult(resultStore(), { uri: 'signalbox://results/call_1', offset: 3, limit: 4 }, ada);
    assert.deepEqual(page, {
      uri: 'signalbox://results/call_1',
      text: 'defg',
      mimeType: 'text/plain',
      offset: 3,
      total: 26,
      next: 7,
    });
  });

  test('returns the whole result page by page', async () => {
    const dependencies = resultStore();
    let [text, offset]: [string, number | undefined] = ['', 0];
    while (offset !== undefined) {
      const page: Awaited<ReturnType<typeof readResult>> = await readResult(
        dependencies,
        { uri: 'signalbox://results/call_1', offset, limit: 7 },
        ada,
      );
      text += page.text;
      offset = page.next;
    }
    assert.equal(text, stored.text);
  });

  test('accepts a call id as URI', async () => {
    assert.equal((await readResult(resultStore(), { uri: 'call_1', offset: 0, limit: 3 }, ada)).text, 'abc');
  });

  test('reads at most one page', async () => {
    const dependencies = resultStore(5);
    assert.equal((await readResult(dependencies, { uri: 'call_1', offset: 0, limit: 1_000_000 }, ada)).text, 'abcde');
    assert.deepEqual(dependencies.reads, [['call_1', 0, 5]]);
  });

  test('does not reveal the owner of the result', async () => {
    assert.ok(!('owner' in (await readResult(resultStore(), { uri: 'call_1', offset: 0, limit: 1 }, ada))));
  });

  test('rejects results of others and unknown results with the same message', async () => {
    const read = async (uri: string, principal: Principal): Promise<string> => {
      const rejection: unknown = await readResult(resultStore(), { uri, offset: 0, limit: 9 }, principal).catch(
        (error: unknown) => error,
      );
      assert.ok(rejection instanceof SignalboxError, `${principal.id} can read ${uri}`);
      assert.equal(rejection.code, 'result-unknown');
      return rejection.message.replace(uri, 'URI');
    };
    const message = await read('signalbox://results/call_2', ada);
    assert.equal(await read('signalbox://results/call_1', { id: 'bob', kind: 'agent' }), message);
    assert.equal(await read('signalbox://results/call_1', { id: '', kind: 'human' }), message);
    assert.equal(await read('https://example.com/call_1', ada), message);
  });
});
