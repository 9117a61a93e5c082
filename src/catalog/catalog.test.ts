import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SignalboxError } from '../core/errors.ts';
import { Catalog } from './catalog.ts';
import type { CatalogSnapshot } from './snapshot.ts';
import { testSource as source, testTool as tool } from '../../test/support/boxes/test-source.ts';
import type { Source, SourceTool } from './source/source.ts';

function catalogOf(...sources: readonly Source[]): Catalog {
  const catalog = new Catalog();
  for (const each of sources) catalog.mount(each);
  return catalog;
}

function names(catalog: Catalog): string[] {
  return catalog.snapshot.tools.map((each) => each.name);
}

describe('Catalog.snapshot', () => {
  test('does not change when the catalog changes', () => {
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
    files.change({ tools: [tool('read', { description: 'Changed.' })] });
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

  test('is the same object until something changes', () => {
    const catalog = catalogOf(source('files', [tool('read')]));
    assert.equal(catalog.snapshot, catalog.snapshot);
  });

  test('is frozen at every depth', () => {
    const files = source('files', [tool('read', { labels: ['private'], _meta: { a: { b: 1 } } }), tool('a b')]);
    const catalog = catalogOf(files, source('off', [tool('x')]));
    catalog.disable('off');
    const { snapshot } = catalog;
    const unfrozen: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) unfrozen.push(path);
      for (const [key, entry] of Object.entries(value)) walk(entry, `${path}.${key}`);
    };
    for (const [part, value] of Object.entries(snapshot)) walk(value, part);
    assert.deepEqual(unfrozen, []);
    assert.ok(Object.isFrozen(catalog.snapshot));
    assert.equal(snapshot.hidden.length + snapshot.notices.length, 2, 'one hidden tool and one notice were checked');
  });

  test('contains a copy of each schema, in the order in which it was written', () => {
    const inputSchema = { type: 'object', properties: { zebra: { type: 'string' }, ant: { type: 'string' } } };
    const catalog = catalogOf(source('s', [tool('t', { inputSchema })]));
    const listed = JSON.stringify(catalog.snapshot.tools[0]?.inputSchema);
    inputSchema.properties.zebra.type = 'number';
    assert.equal(JSON.stringify(catalog.snapshot.tools[0]?.inputSchema), listed);
    assert.equal(listed, '{"type":"object","properties":{"zebra":{"type":"string"},"ant":{"type":"string"}}}');
    assert.ok(!Object.isFrozen(inputSchema), 'the original schema was frozen');
  });

  test('lists tools by server in mounting order', () => {
    assert.deepEqual(names(catalogOf(source('b', [tool('2'), tool('1')]), source('a', [tool('3')]))), [
      'mcp__b__2',
      'mcp__b__1',
      'mcp__a__3',
    ]);
  });
});

describe('a name collision', () => {
  const collision = (message: RegExp) => (error: unknown) =>
    error instanceof SignalboxError && error.code === 'name-collision' && message.test(error.message);

  test('of two servers is an error that names both adapters', () => {
    const catalog = catalogOf(source('files', [tool('read')], 'local:files'));
    assert.throws(
      () => catalog.mount(source('files', [tool('write')], 'mcp:files')),
      collision(
        /^two servers are named "files": local:files is mounted, and mcp:files wants the same name; rename one of them$/,
      ),
    );
    assert.deepEqual(names(catalog), ['mcp__files__read'], 'the first server is no longer mounted');
  });

  test('of two tools of a server is an error that names both, and the server is not mounted', () => {
    const catalog = new Catalog();
    assert.throws(
      () => catalog.mount(source('s', [tool('a.b'), tool('c'), tool('a_b')])),
      collision(/^server "s": tools "a\.b" and "a_b" would both be named "mcp__s__a_b"; rename one of them$/),
    );
    assert.deepEqual(catalog.snapshot.servers, []);
    catalog.mount(source('s', [tool('c')]));
  });

  test('that arises later hides only the colliding tools, with the reason and the time', async () => {
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
    assert.equal(catalog.snapshot.hidden[0]?.since, since, 'the time changed although the collision did not');
    changing.change({ tools: [tool('a_b'), tool('c')] });
    assert.deepEqual(names(catalog), ['mcp__s__a_b', 'mcp__s__c', 'mcp__other__a_b']);
    assert.deepEqual(catalog.snapshot.hidden, []);
  });
});

describe('an invalid tool definition', () => {
  const bad: readonly [string, SourceTool, RegExp][] = [
    ['an empty name', tool(''), /has an empty name/],
    [
      'a schema with a BigInt',
      tool('bad', { inputSchema: { minimum: 1n } }),
      /mcp__s__bad is not JSON: bigint has no form in JSON \(at \$\.inputSchema\.minimum\)/,
    ],
    [
      'a description with a lone surrogate',
      tool('bad', { description: '\ud800' }),
      /mcp__s__bad is not JSON: .*surrogate/i,
    ],
    [
      'a cyclic schema',
      tool('bad', { inputSchema: cyclicSchema() }),
      /mcp__s__bad is not JSON: a cycle, or nesting deeper than/,
    ],
  ];
  for (const [name, offered, reason] of bad) {
    test(`${name}: rejected when its server is mounted, and hidden alone when it appears later`, async () => {
      assert.throws(
        () => catalogOf(source('s', [offered], 'local:s')),
        (error) => error instanceof SignalboxError && reason.test(error.message),
      );

      const changing = source('s', [tool('good')], 'local:s');
      const catalog = catalogOf(changing, source('other', [tool('good')]));
      const snapshots: CatalogSnapshot[] = [];
      catalog.subscribe((snapshot) => snapshots.push(snapshot));
      changing.change({ tools: [tool('good'), offered] });
      await pause(1);
      assert.deepEqual(
        snapshots.map(({ tools }) => tools.map((each) => each.name)),
        [['mcp__s__good', 'mcp__other__good']],
      );
      const [hidden] = catalog.snapshot.hidden;
      assert.equal(hidden?.by, 'definition-invalid');
      assert.match(hidden.reason, reason);
    });
  }
});

function cyclicSchema(): Record<string, unknown> {
  const schema: Record<string, unknown> = {};
  schema['not'] = schema;
  return schema;
}

describe('the status of a server', () => {
  test('disabled: hides its tools with reason and time until it is enabled', async () => {
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
    assert.equal(catalog.snapshot.servers[0]?.since, since, 'disabling it again changed the time');
    catalog.enable('files');
    const [enabled] = catalog.snapshot.servers;
    assert.deepEqual({ ...enabled, since: 0 }, { ...mounted, since: 0 });
    assert.ok((enabled?.since ?? 0) > since);
    assert.equal(names(catalog).length, 2);
  });

  test('down: hides its tools with the reason and time of the source; up again, counts from its recovery', async () => {
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
    assert.ok(server.since >= before, 'the time is not that of the recovery');
    const { since } = server;
    await pause(5);
    files.change({ tools: [tool('read'), tool('write')] });
    assert.equal(catalog.snapshot.servers[0]?.since, since, 'a change of its tools changed the time');
  });

  test('disabled takes precedence over down', () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    files.change({ down: { reason: 'gone', since: 1 } });
    catalog.disable('files');
    assert.equal(catalog.snapshot.servers[0]?.status, 'disabled');
    catalog.enable('files');
    assert.equal(catalog.snapshot.servers[0]?.status, 'down');
  });

  test('notices of its tools have the server and the rendered name', () => {
    const catalog = catalogOf(source('s', [tool('a b', { notices: ['its schema does not compile'] })]));
    assert.deepEqual(catalog.snapshot.notices, [
      { server: 's', tool: 'mcp__s__a_b', message: 'name "a b" is rendered as "mcp__s__a_b"' },
      { server: 's', tool: 'mcp__s__a_b', message: 'its schema does not compile' },
    ]);
  });

  test('an unknown server is an error that lists the mounted servers', () => {
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

describe('mounting and unmounting', () => {
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
        const [name] = list[pick % list.length] ?? [''];
        const expected = catalog.snapshot.tools.filter((each) => each.id.server !== name);
        const removed = catalog.unmount(name);
        assert.equal(removed.server, name);
        assert.deepEqual(catalog.snapshot.tools, expected);
        assert.deepEqual(
          catalog.snapshot.tools.map((each) => each.name),
          expected.map((each) => each.name),
        );
        assert.ok(!catalog.sources().includes(removed));
      }),
    );
  });

  test('a replacement has the position and the disabled state of the old server, which is no longer observed', () => {
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

  test('an invalid replacement is rejected and changes nothing', () => {
    const catalog = catalogOf(source('a', [tool('old')]));
    const before = catalog.snapshot;
    assert.throws(() => catalog.replace(source('a', [tool('same'), tool('same')])), /would both be named/);
    assert.throws(() => catalog.replace(source('none')), /no server is named "none"/);
    assert.equal(catalog.snapshot, before);
  });

  test('changes of an unmounted server have no effect', () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    catalog.unmount('files');
    const { version } = catalog.snapshot;
    files.change({ tools: [tool('write')] });
    assert.equal(catalog.snapshot.version, version);
    assert.deepEqual(names(catalog), []);
  });

  test('listeners are called once for all changes of one synchronous run, with the last version', async () => {
    const files = source('files', [tool('read')]);
    const catalog = catalogOf(files);
    const snapshots: CatalogSnapshot[] = [];
    const unsubscribe = catalog.subscribe((snapshot) => snapshots.push(snapshot));
    files.change({ tools: [tool('read'), tool('write')] });
    files.change({ tools: [tool('write')] });
    catalog.mount(source('more', [tool('x')]));
    assert.equal(snapshots.length, 0, 'called before the run ended');
    await pause(1);
    assert.deepEqual(
      snapshots.map(({ tools }) => tools.map((each) => each.name)),
      [['mcp__files__write', 'mcp__more__x']],
    );
    assert.equal(snapshots[0], catalog.snapshot);

    catalog.unmount('more');
    await pause(1);
    assert.equal(snapshots.length, 2);
    assert.ok((snapshots[1]?.version ?? 0) > (snapshots[0]?.version ?? 0));

    unsubscribe();
    catalog.disable('files');
    await pause(1);
    assert.equal(snapshots.length, 2, 'called after unsubscribing');
  });

  test('an exception in a listener becomes a process warning, and the other listeners are called', async () => {
    const catalog = new Catalog();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    let calls = 0;
    catalog.subscribe(() => assert.fail('a bad listener'));
    catalog.subscribe(() => (calls += 1));
    catalog.mount(source('a'));
    await pause(5);
    process.off('warning', onWarning);
    assert.equal(calls, 1);
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['a listener threw: a bad listener'],
    );
  });
});
