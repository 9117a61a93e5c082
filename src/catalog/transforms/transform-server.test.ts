import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { defineTool } from '../../sources/local/define-tool.ts';
import { localServer } from '../../sources/local/local-server.ts';
import { Catalog } from '../catalog.ts';
import type { Source, SourceTool } from '../source/source.ts';
import { type ToolTransform, transformServer } from './transform-server.ts';

function catalogOf(source: Source): Catalog {
  const catalog = new Catalog();
  catalog.mount(source);
  return catalog;
}

const names = (catalog: Catalog): string[] => catalog.snapshot.tools.map(({ name }) => name);

describe('transformServer', () => {
  test('transforms listing and calling without changing the source', async () => {
    const notes = localServer({
      name: 'notes',
      tools: ['add', 'debug_dump'].map((name) =>
        defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => `ran ${name}` }),
      ),
    });
    const original = notes.state();
    const transformed = transformServer(notes, (tool) =>
      tool.tool.startsWith('debug_') ? null : { ...tool, tool: 'create', description: 'Makes a note.' },
    );
    const box = await createSignalbox({ servers: [transformed], builtin: false });
    try {
      const [definition, ...more] = box.tools();
      assert.deepEqual(more, []);
      assert.deepEqual(definition?.id, { server: 'notes', tool: 'create' });
      assert.equal(definition?.name, 'mcp__notes__create');
      assert.equal(definition?.description, 'Makes a note.');
      assert.deepEqual((await box.call('mcp__notes__create')).content, [{ type: 'text', text: 'ran add' }]);
      assert.equal((await box.call('mcp__notes__add')).error?.code, 'tool-unknown');
      const dropped = await box.call('mcp__notes__debug_dump');
      assert.equal(dropped.error?.code, 'tool-hidden');
      assert.match(
        dropped.error?.message ?? '',
        /^mcp__notes__debug_dump cannot be called: hidden by a transform that drops it \(since 2/,
      );
      assert.equal(notes.state(), original);
      assert.deepEqual(
        original.tools.map(({ tool }) => tool),
        ['add', 'debug_dump'],
      );
    } finally {
      await box.close();
    }
  });

  test('lists hidden tools in the catalog with the reason', () => {
    const source = testSource('s', [testTool('visible'), testTool('dropped'), testTool('ruled')]);
    const before = Date.now();
    const { hidden } = catalogOf(
      transformServer(source, (tool) =>
        tool.tool === 'dropped' ? null : tool.tool === 'ruled' ? { hidden: 'hidden by the test' } : tool,
      ),
    ).snapshot;
    assert.deepEqual(
      hidden.map(({ name, by, reason }) => ({ name, by, reason })),
      [
        { name: 'mcp__s__dropped', by: 'transform', reason: 'hidden by a transform that drops it' },
        { name: 'mcp__s__ruled', by: 'rule', reason: 'hidden by the test' },
      ],
    );
    assert.ok(hidden.every(({ since }) => before <= since && since <= Date.now()));
  });

  test('transforms each tool object once and follows changes of the source', () => {
    const seen: string[] = [];
    const [one, two] = [testTool('one'), testTool('two')];
    const source = testSource('s', [one]);
    const catalog = catalogOf(
      transformServer(source, (tool) => {
        seen.push(tool.tool);
        return { ...tool, tool: `${tool.tool}_new` };
      }),
    );
    const [first] = catalog.snapshot.tools;
    source.change({ tools: [one, two] });
    assert.deepEqual(names(catalog), ['mcp__s__one_new', 'mcp__s__two_new']);
    assert.equal(catalog.snapshot.tools[0], first, 'the definition of an unchanged tool changed');
    source.change({ tools: [two] });
    assert.deepEqual(names(catalog), ['mcp__s__two_new']);
    assert.deepEqual(seen, ['one', 'two']);
  });

  test('preserves the time since a tool is hidden when the source lists it again', async () => {
    const source = testSource('s', [testTool('a')]);
    const transformed = transformServer(source, () => null);
    const since = transformed.state().hidden?.[0]?.since;
    await new Promise((resolve) => setTimeout(resolve, 5));
    source.change({ tools: [testTool('a'), testTool('b')] });
    assert.equal(transformed.state().hidden?.[0]?.since, since);
    assert.notEqual(transformed.state().hidden?.[1]?.since, since);
  });

  test('reports that a server is down, and its tools when it is up again', () => {
    const source = testSource('s', [testTool('a')]);
    const catalog = catalogOf(transformServer(source, (tool) => ({ ...tool, tool: 'b' })));
    source.change({ down: { reason: 'no power', since: 5 } });
    assert.deepEqual(catalog.snapshot.hidden, [
      {
        name: 'mcp__s__b',
        server: 's',
        renamedFrom: 'a',
        by: 'server-down',
        reason: 'server "s" is down: no power',
        since: 5,
      },
    ]);
    source.change({ up: true });
    assert.deepEqual(names(catalog), ['mcp__s__b']);
  });

  test('forwards limits, adapter, subscriptions and close', async () => {
    let closed = 0;
    let notified = 0;
    const source = testSource('s', [testTool('a')], 'mcp:s');
    const given = { ...source, limits: { concurrency: 3 }, close: async () => void (closed += 1) };
    const transformed = transformServer(given, (tool) => tool);
    assert.deepEqual([transformed.server, transformed.adapter, transformed.limits], ['s', 'mcp:s', { concurrency: 3 }]);
    const unsubscribe = transformed.subscribe(() => (notified += 1));
    source.change({});
    unsubscribe();
    source.change({});
    await transformed.close();
    assert.deepEqual([notified, closed], [1, 1]);
  });

  test('returns the same arrays while nothing changes', () => {
    const source = testSource('s', [testTool('a')]);
    const transformed = transformServer(source, (tool) => ({ ...tool }));
    assert.equal(transformed.state(), transformed.state());
    const { tools } = transformed.state();
    source.change({ down: { reason: 'x', since: 1 } });
    assert.equal(transformed.state().tools, tools);
  });

  test('preserves the original name through several transforms and wrapped sources', () => {
    const rename =
      (name: string): ToolTransform =>
      (tool) => ({ ...tool, tool: `${tool.tool}${name}` });
    const source = testSource('s', [testTool('a')]);
    const [tool] = transformServer(transformServer(source, [rename('b'), rename('c')]), rename('d')).state().tools;
    assert.equal(tool?.tool, 'abcd');
    assert.equal(tool?.remote, 'a');
    const inner = transformServer(testSource('s', [testTool('a'), testTool('b')]), (each) =>
      each.tool === 'a' ? null : each,
    );
    const hidden = transformServer(inner, () => ({ hidden: 'all' })).state().hidden;
    assert.deepEqual(
      hidden?.map(({ tool: name }) => name),
      ['a', 'b'],
    );
  });

  test('rejects two tools with the same new name, with an error that has their original names', () => {
    const source = testSource('s', [testTool('read_text'), testTool('read_media')]);
    assert.throws(
      () => catalogOf(transformServer(source, (tool) => ({ ...tool, tool: 'read' }))),
      /server "s": tools "read_text" and "read_media" would both be named "mcp__s__read"; rename one of them/,
    );
  });
});

describe('a transform that fails', () => {
  const bad: readonly (readonly [string, (tool: SourceTool) => unknown, RegExp])[] = [
    ['throws', () => assert.fail('no idea'), /failed on tool "bad": no idea; a transform returns the changed tool/],
    ['returns nothing', () => undefined, /failed on tool "bad": it returned undefined/],
    ['is asynchronous', async (tool) => tool, /failed on tool "bad": it returned a promise/],
    ['returns an incomplete tool', () => ({ tool: 'x' }), /incomplete tool/],
  ];
  for (const [problem, transform, message] of bad) {
    test(`${problem}: the server is not mounted; later, only the tool is hidden`, () => {
      const failing = ((tool: SourceTool) => (tool.tool === 'bad' ? transform(tool) : tool)) as ToolTransform;
      assert.throws(
        () => catalogOf(transformServer(testSource('s', [testTool('good'), testTool('bad')]), failing)),
        message,
      );
      const source = testSource('s', [testTool('good')]);
      const catalog = catalogOf(transformServer(source, failing));
      source.change({ tools: [testTool('good'), testTool('bad')] });
      assert.deepEqual(names(catalog), ['mcp__s__good']);
      const [hidden] = catalog.snapshot.hidden;
      assert.equal(hidden?.by, 'definition-invalid');
      assert.match(hidden?.reason ?? '', message);
    });
  }
});
