import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SignalboxError } from '../core/errors.ts';
import { Catalog } from './catalog.ts';
import type { CatalogSnapshot } from './snapshot.ts';
import { testSource as source, testTool as tool } from '../../test/support/test-source.ts';
import type { Source, SourceTool } from './source/source.ts';

function catalogOf(...sources: readonly Source[]): Catalog {
  const catalog = new Catalog();
  for (const each of sources) catalog.mount(each);
  return catalog;
}

function names(catalog: Catalog): string[] {
  return catalog.snapshot.tools.map((each) => each.name);
}

describe('snapshots', () => {
  test('stay as they were when the catalog goes on', () => {
    const files = source('files', [tool('read'), tool('write')]);
    const catalog = catalogOf(files);
    const before = catalog.snapshot;
    const copy = structuredClone({
      version: before.version,
      tools: before.tools,
      servers: before.servers,
      hidden: before.hidden,
      notices: before.notices,
    });
    files.change({ tools: [tool('read', { description: 'Otherwise.' })] });
    catalog.mount(source('more', [tool('x')]));
    catalog.disable('files');
    assert.notEqual(catalog.snapshot, before);
    assert.ok(catalog.snapshot.version > before.version);
    assert.deepEqual(
      {
        version: before.version,
        tools: before.tools,
        servers: before.servers,
        hidden: before.hidden,
        notices: before.notices,
      },
      copy,
    );
    assert.deepEqual(
      before.tools.map((each) => each.name),
      ['mcp__files__read', 'mcp__files__write'],
    );
  });

  test('are the same object until something changes', () => {
    const catalog = catalogOf(source('files', [tool('read')]));
    assert.equal(catalog.snapshot, catalog.snapshot);
  });

  test('cannot be changed, at no depth', () => {
    const files = source('files', [tool('read', { labels: ['private'], _meta: { a: { b: 1 } } }), tool('a b')]);
    const catalog = catalogOf(files, source('off', [tool('x')]));
    catalog.disable('off');
    const { snapshot } = catalog;
    const open: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(path);
      for (const [key, entry] of Object.entries(value)) walk(entry, `${path}.${key}`);
    };
    for (const [part, value] of Object.entries(snapshot)) walk(value, part);
    assert.deepEqual(open, []);
    assert.ok(Object.isFrozen(catalog.snapshot));
    assert.equal(snapshot.hidden.length + snapshot.notices.length, 2, 'both lists were looked at');
  });

  test('a schema that its author changes later is told as it was', () => {
    const inputSchema = { type: 'object', properties: { zebra: { type: 'string' }, ant: { type: 'string' } } };
    const catalog = catalogOf(source('s', [tool('t', { inputSchema })]));
    const told = JSON.stringify(catalog.snapshot.tools[0]?.inputSchema);
    inputSchema.properties.zebra.type = 'number';
    assert.equal(JSON.stringify(catalog.snapshot.tools[0]?.inputSchema), told);
    assert.equal(
      told,
      '{"type":"object","properties":{"zebra":{"type":"string"},"ant":{"type":"string"}}}',
      'as written, in the order written',
    );
    assert.ok(!Object.isFrozen(inputSchema), 'the author’s own object is left alone');
  });

  test('list tools by server in mounting order', () => {
    assert.deepEqual(names(catalogOf(source('b', [tool('2'), tool('1')]), source('a', [tool('3')]))), [
      'mcp__b__2',
      'mcp__b__1',
      'mcp__a__3',
    ]);
  });
});

describe('collisions', () => {
  const collision = (message: RegExp) => (error: unknown) =>
    error instanceof SignalboxError && error.code === 'name-collision' && message.test(error.message);

  test('two servers of one name: the error names both', () => {
    const catalog = catalogOf(source('files', [tool('read')], 'local:files'));
    assert.throws(
      () => catalog.mount(source('files', [tool('write')], 'mcp:files')),
      collision(
        /^two servers are named "files": local:files is mounted, and mcp:files wants the same name; rename one of them$/,
      ),
    );
    assert.deepEqual(names(catalog), ['mcp__files__read'], 'the first one stands');
  });

  test('two tools of one server that are rendered alike: the error names both, and nothing is mounted', () => {
    const catalog = new Catalog();
    assert.throws(
      () => catalog.mount(source('s', [tool('a.b'), tool('c'), tool('a_b')])),
      collision(/^server "s": tools "a\.b" and "a_b" would both be named "mcp__s__a_b"; rename one of them$/),
    );
    assert.deepEqual(catalog.snapshot.servers, []);
    catalog.mount(source('s', [tool('c')]));
  });

  test('one that arises later hides both with the reason, and the others stay', async () => {
    const changing = source('s', [tool('a.b'), tool('c')]);
    const catalog = catalogOf(changing, source('other', [tool('a_b')]));
    const before = Date.now();
    changing.change({ tools: [tool('a.b'), tool('a_b'), tool('c')] });
    assert.deepEqual(names(catalog), ['mcp__s__c', 'mcp__other__a_b']);
    const { hidden, servers } = catalog.snapshot;
    const since = hidden[0]?.since ?? 0;
    const reason = '"a.b" and "a_b" are all rendered as "mcp__s__a_b"; rename all but one';
    const expected = { name: 'mcp__s__a_b', server: 's', by: 'name-collision', reason, since };
    assert.deepEqual(hidden, [expected, expected]);
    assert.ok(before <= since && since <= Date.now());
    assert.equal(servers[0]?.tools, 1);

    await pause(5);
    catalog.mount(source('third'));
    assert.equal(catalog.snapshot.hidden[0]?.since, since, 'it is hidden since it arose, not since the last change');
    changing.change({ tools: [tool('a_b'), tool('c')] });
    assert.deepEqual(names(catalog), ['mcp__s__a_b', 'mcp__s__c', 'mcp__other__a_b']);
    assert.deepEqual(catalog.snapshot.hidden, []);
  });
});

describe('a tool that cannot be told', () => {
  const bad: readonly [string, SourceTool, RegExp][] = [
    ['a name that is empty', tool(''), /has an empty name/],
    [
      'a schema with a BigInt',
      tool('bad', { inputSchema: { minimum: 1n } }),
      /mcp__s__bad is not JSON: bigint has no form in JSON \(at \$\.inputSchema\.minimum\)/,
    ],
    [
      'a description with half a character',
      tool('bad', { description: '\ud800' }),
      /mcp__s__bad is not JSON: .*surrogate/i,
    ],
    [
      'a schema without end',
      tool('bad', { inputSchema: endless() }),
      /mcp__s__bad is not JSON: a cycle, or nesting deeper than/,
    ],
  ];
  for (const [name, offered, reason] of bad) {
    test(`${name}: refused at mounting, hidden when it comes later, the others stay`, async () => {
      assert.throws(
        () => catalogOf(source('s', [offered], 'local:s')),
        (error) => error instanceof SignalboxError && reason.test(error.message),
      );

      const changing = source('s', [tool('good')], 'local:s');
      const catalog = catalogOf(changing, source('other', [tool('good')]));
      const told: CatalogSnapshot[] = [];
      catalog.subscribe((snapshot) => told.push(snapshot));
      changing.change({ tools: [tool('good'), offered] });
      await pause(1);
      assert.deepEqual(
        told.map(({ tools }) => tools.map((each) => each.name)),
        [['mcp__s__good', 'mcp__other__good']],
      );
      const [hidden] = catalog.snapshot.hidden;
      assert.equal(hidden?.by, 'definition-invalid');
      assert.match(hidden.reason, reason);
    });
  }
});

function endless(): Record<string, unknown> {
  const schema: Record<string, unknown> = {};
  schema['not'] = schema;
  return schema;
}

describe('provenance', () => {
  test('a disabled server: its tools are hidden with reason and time, and come back', async () => {
    const catalog = catalogOf(source('files', [tool('read')]), source('other', [tool('x')]));
    const [mounted] = catalog.snapshot.servers;
    await pause(5);
    const before = Date.now();
    catalog.disable('files');
    const { servers, hidden, tools } = catalog.snapshot;
    assert.deepEqual(
      tools.map((each) => each.name),
      ['mcp__other__x'],
    );
    const since = servers[0]?.since ?? 0;
    assert.ok(before <= since && since <= Date.now());
    assert.deepEqual(servers[0], {
      name: 'files',
      adapter: 'test:files',
      status: 'disabled',
      since,
      reason: 'server "files" is disabled',
      tools: 0,
    });
    assert.deepEqual(hidden, [
      { name: 'mcp__files__read', server: 'files', by: 'server-disabled', reason: 'server "files" is disabled', since },
    ]);

    await pause(5);
    catalog.disable('files');
    assert.equal(catalog.snapshot.servers[0]?.since, since, 'disabling it again changes nothing');
    catalog.enable('files');
    const [enabled] = catalog.snapshot.servers;
    assert.deepEqual({ ...enabled, since: 0 }, { ...mounted, since: 0 });
    assert.ok((enabled?.since ?? 0) > since);
    assert.equal(names(catalog).length, 2);
  });

  test('a server that is down: its tools are hidden with its reason and its time; up again it is up since then', async () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    files.change({ down: { reason: 'connection refused', since: 1234 } });
    assert.deepEqual(catalog.snapshot.servers, [
      {
        name: 'files',
        adapter: 'test:files',
        status: 'down',
        since: 1234,
        reason: 'server "files" is down: connection refused',
        tools: 0,
      },
    ]);
    assert.deepEqual(catalog.snapshot.hidden, [
      {
        name: 'mcp__files__read',
        server: 'files',
        by: 'server-down',
        reason: 'server "files" is down: connection refused',
        since: 1234,
      },
    ]);
    await pause(5);
    const before = Date.now();
    files.change({ up: true });
    const [server] = catalog.snapshot.servers;
    assert.equal(server?.status, 'up');
    assert.ok(server.since >= before, 'it counts as up since it came back, not since it was mounted');
    const { since } = server;
    await pause(5);
    files.change({ tools: [tool('read'), tool('write')] });
    assert.equal(catalog.snapshot.servers[0]?.since, since, 'a change of its tools is no new beginning');
  });

  test('disabled says more than down', () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    files.change({ down: { reason: 'gone', since: 1 } });
    catalog.disable('files');
    assert.equal(catalog.snapshot.servers[0]?.status, 'disabled');
    catalog.enable('files');
    assert.equal(catalog.snapshot.servers[0]?.status, 'down');
  });

  test('notices of tools that work are told with server and rendered name', () => {
    const catalog = catalogOf(source('s', [tool('a b', { notices: ['its schema does not compile'] })]));
    assert.deepEqual(catalog.snapshot.notices, [
      { server: 's', tool: 'mcp__s__a_b', message: 'name "a b" is rendered as "mcp__s__a_b"' },
      { server: 's', tool: 'mcp__s__a_b', message: 'its schema does not compile' },
    ]);
  });

  test('a server that is not mounted is named with those that are', () => {
    const catalog = catalogOf(source('a'), source('b'));
    for (const act of [() => catalog.disable('c'), () => catalog.enable('c'), () => catalog.unmount('c')]) {
      assert.throws(
        act,
        (error) =>
          error instanceof SignalboxError &&
          error.code === 'server-unknown' &&
          error.message === 'no server is named "c"; mounted: a, b',
      );
    }
  });
});

describe('servers come and go', () => {
  const server = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'x'), minLength: 1, maxLength: 4 });
  const servers = fc.uniqueArray(
    fc.tuple(server, fc.uniqueArray(fc.constantFrom('a', 'b', 'x__a', '_b', 'a-b__x', 'list'), { maxLength: 6 })),
    { selector: ([name]) => name, minLength: 1, maxLength: 6 },
  );

  test('removing a server removes exactly its tools', () => {
    fc.assert(
      fc.property(servers, fc.nat(), (list, pick) => {
        const catalog = catalogOf(
          ...list.map(([name, tools]) =>
            source(
              name,
              tools.map((each) => tool(each)),
            ),
          ),
        );
        const [gone] = list[pick % list.length] ?? [''];
        const expected = catalog.snapshot.tools.filter((each) => each.id.server !== gone);
        const removed = catalog.unmount(gone);
        assert.equal(removed.server, gone);
        assert.deepEqual(catalog.snapshot.tools, expected);
        assert.deepEqual(
          catalog.snapshot.tools.map((each) => each.name),
          expected.map((each) => each.name),
        );
        assert.ok(!catalog.sources().includes(removed));
      }),
    );
  });

  test('a server takes the place of another: same position, disabled as before, and the old one is heard no more', () => {
    const [first, other] = [source('a', [tool('old')]), source('b', [tool('b')])];
    const catalog = catalogOf(first, other);
    catalog.disable('a');
    const second = source('a', [tool('new')]);
    assert.equal(catalog.replace(second), first);
    assert.deepEqual(
      catalog.snapshot.servers.map(({ name, status }) => [name, status]),
      [
        ['a', 'disabled'],
        ['b', 'up'],
      ],
    );
    catalog.enable('a');
    assert.deepEqual(names(catalog), ['mcp__a__new', 'mcp__b__b']);
    const { version } = catalog.snapshot;
    first.change({ tools: [] });
    assert.equal(catalog.snapshot.version, version);
    second.change({ tools: [tool('newer')] });
    assert.deepEqual(names(catalog), ['mcp__a__newer', 'mcp__b__b']);
  });

  test('one that would be refused takes no place, and nothing changes', () => {
    const catalog = catalogOf(source('a', [tool('old')]));
    const before = catalog.snapshot;
    assert.throws(() => catalog.replace(source('a', [tool('same'), tool('same')])), /would both be named/);
    assert.throws(() => catalog.replace(source('none')), /no server is named "none"/);
    assert.equal(catalog.snapshot, before);
  });

  test('what a removed server does afterwards changes nothing', () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    catalog.unmount('files');
    const { version } = catalog.snapshot;
    files.change({ tools: [tool('write')] });
    assert.equal(catalog.snapshot.version, version);
    assert.deepEqual(names(catalog), []);
  });

  test('listeners hear of changes made in one go once, with the last version', async () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    const told: CatalogSnapshot[] = [];
    const stop = catalog.subscribe((snapshot) => told.push(snapshot));
    files.change({ tools: [tool('read'), tool('write')] });
    files.change({ tools: [tool('write')] });
    catalog.mount(source('more', [tool('x')]));
    assert.equal(told.length, 0, 'not in the middle of the changes');
    await pause(1);
    assert.deepEqual(
      told.map(({ tools }) => tools.map((each) => each.name)),
      [['mcp__files__write', 'mcp__more__x']],
    );
    assert.equal(told[0], catalog.snapshot);

    catalog.unmount('more');
    await pause(1);
    assert.equal(told.length, 2);
    assert.ok((told[1]?.version ?? 0) > (told[0]?.version ?? 0));

    stop();
    catalog.disable('files');
    await pause(1);
    assert.equal(told.length, 2, 'nobody listens any more');
  });

  test('a listener that throws is warned about, and the others are told', async () => {
    const catalog = new Catalog();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    let told = 0;
    catalog.subscribe(() => assert.fail('a bad listener'));
    catalog.subscribe(() => (told += 1));
    catalog.mount(source('a'));
    await pause(5);
    process.off('warning', onWarning);
    assert.equal(told, 1);
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['a listener threw: a bad listener'],
    );
  });
});
