import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { referenceServer, transparentProgram } from '../../test/mcp-servers/programs.ts';
import { type CallResult, createSignalbox, defineTool, localServer, mcpServer } from '../index.ts';
import { record, replay } from './index.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-recording-'));
after(() => rmSync(directory, { recursive: true }));

const resultOf = ({ outcome, content, structuredContent, error }: CallResult): object => ({
  outcome,
  content,
  structuredContent,
  error,
});

describe('record and replay of a server', () => {
  test('replays the same tools, results and errors without the server', async () => {
    const file = join(directory, 'everything.jsonl');
    const everything = mcpServer({ name: 'every', transport: referenceServer('everything') });
    await everything.ready();
    const calls = [
      ['mcp__every__echo', { message: 'hello' }],
      ['mcp__every__get-sum', { a: 1, b: 2 }],
      ['mcp__every__get-structured-content', { location: 'New York' }],
      ['mcp__every__get-tiny-image', {}],
      ['mcp__every__echo', { message: 'hello' }],
    ] as const;
    const live = await createSignalbox({ servers: [record(everything, file)], approve: () => ({ allow: true }) });
    const recorded: object[] = [];
    for (const [tool, args] of calls) recorded.push(resultOf(await live.call(tool, args)));
    const definitions = live.tools().filter(({ id }) => id.server === 'every');
    await live.close();
    assert.ok(recorded.every((result) => 'outcome' in result && result.outcome === 'completed'));

    const server = replay(file);
    const box = await createSignalbox({ servers: [server], approve: () => ({ allow: true }) });
    assert.deepEqual(
      box.tools().filter(({ id }) => id.server === 'every'),
      definitions,
    );
    assert.equal(server.unused().length, calls.length);
    const replayed: object[] = [];
    for (const [tool, args] of calls) replayed.push(resultOf(await box.call(tool, args)));
    assert.deepEqual(replayed, recorded);
    assert.deepEqual(server.unused(), []);
    assert.equal((await box.call('mcp__every__get-sum', { a: 'x', b: 2 })).error?.code, 'arguments-invalid');
    await box.close();
  });

  test('replays the `_meta`, unknown fields and JSON-RPC errors of results', async () => {
    const file = join(directory, 'transparent.jsonl');
    const args = [transparentProgram, 'legacy'];
    const server = mcpServer({ name: 'one', transport: { type: 'stdio', command: process.execPath, args } });
    await server.ready();
    const results: CallResult[][] = [];
    for (const source of [() => record(server, file), () => replay(file)]) {
      const box = await createSignalbox({ servers: [source()], approve: () => ({ allow: true }) });
      results.push([await box.call('mcp__one__rich'), await box.call('mcp__one__refusing')]);
      await box.close();
    }
    const [live, replayed] = results.map((each) => each.map(({ _meta, fields, error }) => ({ _meta, fields, error })));
    assert.deepEqual(live?.[0]?.fields, { unknown: { field: true }, status: 'fine' });
    assert.deepEqual(live[1]?.error?.rpc, { code: -31_337, data: { retryAfter: 5, list: ['a'] } });
    assert.deepEqual(replayed, live);
  });

  const count = (): ReturnType<typeof localServer> => {
    let runs = 0;
    const run = (args: Record<string, unknown>): unknown => {
      if (args['fail'] === true) throw new Error('unlucky number');
      return { runs: (runs += 1), token: 'canary-4711-canary' };
    };
    const input = { type: 'object' } as const;
    return localServer({
      name: 't',
      tools: [defineTool({ name: 'count', description: '…', input, effect: 'read', run })],
    });
  };

  test('replays results and failures in recorded order, and records no secret', async () => {
    const file = join(directory, 'count.jsonl');
    const live = await createSignalbox({ servers: [record(count(), file, { secrets: { T: 'canary-4711-canary' } })] });
    for (const args of [{ a: 1, b: 2 }, { b: 2, a: 1 }, { fail: true }]) await live.call('mcp__t__count', args);
    await live.close();
    assert.ok(!readFileSync(file, 'utf8').includes('canary'));

    const box = await createSignalbox({ servers: [replay(file)] });
    const runs: unknown[] = [];
    for (let call = 0; call < 2; call += 1) {
      const { structuredContent } = await box.call('mcp__t__count', { a: 1, b: 2 });
      runs.push((structuredContent as { runs: number }).runs);
    }
    assert.deepEqual(runs, [1, 2]);
    const failed = await box.call('mcp__t__count', { fail: true });
    assert.match(failed.error?.message ?? '', /unlucky number/);
    const third = await box.call('mcp__t__count', { a: 1, b: 2 });
    assert.match(third.error?.message ?? '', /more often than it was recorded in .*count\.jsonl; record again/);
    const other = await box.call('mcp__t__count', { a: 3 });
    assert.match(other.error?.message ?? '', /\{"a":3\}, which is not recorded in .*: recorded are \{"a":1,"b":2\}/);
    await box.close();

    const repeating = await createSignalbox({ servers: [replay(file, { repeat: true })] });
    for (let call = 0; call < 4; call += 1)
      assert.equal((await repeating.call('mcp__t__count', { a: 1, b: 2 })).outcome, 'completed');
    await repeating.close();
  });

  test('refuses a damaged recording with its file and line', () => {
    const file = join(directory, 'damaged.jsonl');
    writeFileSync(file, '{"signalbox":1,"server":"t","tools":[]}\n{"call":');
    assert.throws(() => replay(file), /damaged\.jsonl:2 is not JSON: .*; record again/);
    writeFileSync(file, '');
    assert.throws(() => replay(file), /damaged\.jsonl contains no recording/);
  });
});
