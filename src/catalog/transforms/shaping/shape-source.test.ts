import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { testSource, testTool } from '../../../../test/support/boxes/test-source.ts';
import { createSignalbox } from '../../../signalbox/create-signalbox.ts';
import { defineTool } from '../../../sources/local/define-tool.ts';
import { localServer } from '../../../sources/local/local-server.ts';
import { Catalog } from '../../catalog.ts';
import type { CatalogSnapshot } from '../../snapshot.ts';
import type { Source } from '../../source/source.ts';
import { matchesNamePattern } from '../../../core/text/name-pattern.ts';
import { fullNames } from '../../../core/tools/tool-names.ts';
import { shapeSource } from './shape-source.ts';
import { findDuplicateKeys } from './shaping-keys.ts';
import type { ToolShaping } from './tool-shaping.ts';

const origin = 'signalbox.config.json';
const files = ['read_text_file', 'write_file', 'move_file'];

function shaped(
  shaping: Omit<ToolShaping, 'origin'>,
  source: Source = testSource(
    'files',
    files.map((name) => testTool(name)),
  ),
): CatalogSnapshot {
  const catalog = new Catalog();
  catalog.mount(shapeSource(source, { ...shaping, origin }));
  return catalog.snapshot;
}

const names = ({ tools }: CatalogSnapshot): string[] => tools.map(({ id }) => id.tool);
const toolOf = (snapshot: CatalogSnapshot, name: string) => snapshot.tools.find(({ id }) => id.tool === name);

describe('shapeSource', () => {
  test('allows and denies by original names; deny wins, and the reason contains the pattern', () => {
    const snapshot = shaped({ allow: ['read_*', '*_file'], deny: ['move_*'], rename: { write_file: 'move_it' } });
    assert.deepEqual(names(snapshot), ['read_text_file', 'move_it']);
    assert.deepEqual(
      snapshot.hidden.map(({ name, by, reason }) => [name, by, reason]),
      [['mcp__files__move_file', 'rule', `hidden by deny pattern "move_*" in ${origin}`]],
    );
    const strict = shaped({ allow: ['read_*'] });
    assert.deepEqual(names(strict), ['read_text_file']);
    assert.equal(strict.hidden[0]?.reason, `hidden by the allow patterns in ${origin}, none of which matches it`);
    assert.deepEqual(names(shaped({ allow: [] })), []);
  });

  test('sets name, description, title, effect and provider options, by the new or the original name', () => {
    const settingsFor = (name: string): Omit<ToolShaping, 'origin'> => ({
      rename: { read_text_file: 'read' },
      describe: { [name]: 'Reads.' },
      title: { [name]: 'Reading' },
      effect: { [name]: 'irreversible' },
      providerOptions: { [name]: { openai: { strict: true } } },
    });
    const [byNew, byOwn] = [shaped(settingsFor('read')), shaped(settingsFor('read_text_file'))];
    assert.deepEqual(byNew.tools, byOwn.tools);
    const { description, title, effect, providerOptions } = toolOf(byNew, 'read') ?? {};
    assert.deepEqual(
      { description, title, effect, providerOptions },
      {
        description: 'Reads.',
        title: 'Reading',
        effect: 'irreversible',
        providerOptions: { openai: { strict: true } },
      },
    );
    assert.equal(toolOf(byNew, 'write_file')?.description, 'Does write_file.');
    assert.deepEqual(byNew.notices, []);
  });

  test('provider options change the definition hash', () => {
    const hashes = [{}, { openai: { strict: true } }, { openai: { strict: false } }].map(
      (options) => toolOf(shaped({ providerOptions: { write_file: options } }), 'write_file')?.definitionHash,
    );
    assert.equal(new Set(hashes).size, 3);
  });

  test('with `prefix`, begins each description with the server name, once', () => {
    const source = testSource('files', [testTool('a'), testTool('b', { description: '[files] Does b.' })]);
    assert.deepEqual(
      shaped({ prefix: true, describe: { a: 'Is a.' } }, source).tools.map(({ description }) => description),
      ['[files] Is a.', '[files] Does b.'],
    );
    assert.equal(shaped({ prefix: false }).tools[0]?.description, 'Does read_text_file.');
  });

  test('returns the same schema and functions', () => {
    const tool = testTool('a');
    const [made] = shapeSource(testSource('s', [tool]), { origin, rename: { a: 'b' }, prefix: true }).state().tools;
    assert.equal(made?.inputSchema, tool.inputSchema);
    assert.equal(made?.run, tool.run);
    assert.equal(made?.parse, tool.parse);
  });

  test('a key that is a new name and an original name refers to the new name', () => {
    const source = testSource('s', [testTool('a'), testTool('b')]);
    const swapped = shaped({ rename: { a: 'b', b: 'a' }, describe: { a: 'was b', b: 'was a' } }, source);
    assert.deepEqual(
      swapped.tools.map(({ id, description }) => [id.tool, description]),
      [
        ['b', 'was a'],
        ['a', 'was b'],
      ],
    );
    assert.deepEqual(findDuplicateKeys({ origin, rename: { a: 'b', b: 'a' }, describe: { a: '', b: '' } }), []);
    assert.deepEqual(findDuplicateKeys({ origin, rename: { a: 'b' }, title: { a: '', b: '' } }), [
      { section: 'title', first: 'a', second: 'b' },
    ]);
  });

  test('supports tool names such as constructor and toString', () => {
    const source = testSource('s', [testTool('constructor'), testTool('toString')]);
    assert.deepEqual(names(shaped({ rename: { constructor: 'valueOf' }, describe: {} }, source)), [
      'valueOf',
      'toString',
    ]);
  });

  test('the most specific matching key wins, and labels of all matching keys are combined', () => {
    const snapshot = shaped({
      rename: { read_text_file: 'read' },
      effect: { '*': 'undoable', '*_file': 'compensable', move_file: 'irreversible', mcp__files__read: 'read' },
      labels: { '*': ['disk'], '*_file': ['tree'], 'mcp__files__w*': ['writes'] },
      describe: { 'w*': 'Short.', 'write_*': 'Longer.' },
    });
    assert.deepEqual(
      snapshot.tools.map(({ id, effect, labels, description }) => [
        id.tool,
        effect,
        labels.toSorted().join(),
        description,
      ]),
      [
        ['read', 'read', 'disk,tree', 'Does read_text_file.'],
        ['write_file', 'compensable', 'disk,tree,writes', 'Longer.'],
        ['move_file', 'irreversible', 'disk,tree', 'Does move_file.'],
      ],
    );
    assert.deepEqual(snapshot.notices, []);
  });

  test('a pattern shapes arguments only of tools that have them', () => {
    const { tools, notices } = shaped({ arguments: { '*': { hide: ['b'], default: { c: 1 } } } });
    for (const { inputSchema } of tools)
      assert.deepEqual(inputSchema, { type: 'object', properties: { a: { type: 'string' } } });
    assert.deepEqual(notices, []);
  });

  test('allow, deny and all sections accept full names, including shortened ones', () => {
    const long = `read_${'the_whole_text_'.repeat(5)}`;
    for (const name of fullNames({ server: 's', tool: long })) {
      const source = testSource('s', [testTool(long), testTool('m')]);
      assert.deepEqual(names(shaped({ deny: [name] }, source)), ['m'], name);
      assert.deepEqual(names(shaped({ allow: [name] }, source)), [long], name);
      assert.equal(toolOf(shaped({ effect: { [name]: 'irreversible' } }, source), long)?.effect, 'irreversible');
    }
    const source = testSource('s', [testTool('read'), testTool('m')]);
    assert.deepEqual(names(shaped({ deny: ['m*'] }, source)), ['read'], 'a bare pattern matched the prefix "mcp__"');
  });

  test('reports names and patterns that match no tool, with the closest name', () => {
    const { notices } = shaped({
      allow: ['*', 'list_*'],
      deny: ['x'],
      rename: { read_txt_file: 'read' },
      describe: { read: '…', write_fil: '…' },
      effect: { move_file: 'irreversible', 'raed_*': 'read' },
    });
    const messages = [
      `allow pattern "list_*" in ${origin} matches no tool of this server`,
      `deny pattern "x" in ${origin} matches no tool of this server`,
      `rename in ${origin} names "read_txt_file", which is not a tool of this server; did you mean "read_text_file"?`,
      `describe in ${origin} names "read", which is not a tool of this server`,
      `describe in ${origin} names "write_fil", which is not a tool of this server; did you mean "write_file"?`,
      `effect pattern "raed_*" in ${origin} matches no tool of this server`,
    ];
    assert.deepEqual(
      notices,
      messages.map((message) => ({ server: 'files', tool: 'mcp__files__*', message })),
    );
    assert.deepEqual(
      shaped({ deny: ['move_file'], effect: { move_file: 'irreversible' } }).notices,
      [],
      'a hidden tool was reported',
    );
  });

  test('removes the notice when the tool appears or the server is down', () => {
    const source = testSource('s', [testTool('a')]);
    const catalog = new Catalog();
    catalog.mount(shapeSource(source, { origin, deny: ['b'] }));
    assert.equal(catalog.snapshot.notices.length, 1);
    source.change({ tools: [testTool('a'), testTool('b')] });
    assert.deepEqual(catalog.snapshot.notices, []);
    assert.equal(catalog.snapshot.hidden[0]?.name, 'mcp__s__b');
    source.change({ tools: [], down: { reason: 'gone', since: 1 } });
    assert.deepEqual(catalog.snapshot.notices, []);
  });

  test('rejects two tools with the same new name, with both original names', () => {
    assert.throws(
      () => shaped({ rename: { write_file: 'move_file' } }),
      /tools "write_file" and "move_file" would both be named "mcp__files__move_file"/,
    );
    assert.deepEqual(names(shaped({ rename: { write_file: 'move_file' }, deny: ['move_file'] })), [
      'read_text_file',
      'move_file',
    ]);
  });
});

test('for any allow, deny and rename settings, listed tools can be called and run the right tool, and others cannot', async () => {
  const own = ['a', 'b', 'ab', 'ba', 'read_a', 'read_b', 'constructor'];
  const pattern = fc.oneof(fc.constantFrom(...own), fc.constantFrom('*', 'a*', '*b', 'read_*', '*a*', 'none'));
  const patterns = fc.array(pattern, { maxLength: 3 });
  const shapings = fc.record(
    {
      allow: patterns,
      deny: patterns,
      rename: fc.dictionary(fc.constantFrom(...own), fc.constantFrom('a', 'b', 'x', 'y', 'z', 'toString'), {
        maxKeys: 4,
      }),
      prefix: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(shapings, async (shaping) => {
      const server = localServer({
        name: 's',
        tools: own.map((name) => defineTool({ name, description: name, effect: 'read', run: () => `ran ${name}` })),
      });
      const visible = own.filter(
        (name) =>
          !(shaping.deny ?? []).some((each) => matchesNamePattern(name, each)) &&
          (shaping.allow ?? ['*']).some((each) => matchesNamePattern(name, each)),
      );
      const renames = new Map(Object.entries(shaping.rename ?? {}));
      const expected = new Map(visible.map((name) => [renames.get(name) ?? name, name]));
      const box = await createSignalbox({ builtin: false });
      try {
        const mount = (): void => box.servers.add(shapeSource(server, { ...shaping, origin }));
        if (expected.size < visible.length) {
          assert.throws(mount, { code: 'name-collision' });
          return;
        }
        mount();
        assert.deepEqual(
          box.tools().map(({ id }) => id.tool),
          [...expected.keys()],
        );
        for (const { id, name } of box.tools()) {
          const result = await box.call(name);
          assert.deepEqual(result.content, [{ type: 'text', text: `ran ${expected.get(id.tool)}` }]);
        }
        for (const name of own.filter((each) => !expected.has(each))) {
          const { outcome, error } = await box.call({ server: 's', tool: name });
          assert.equal(outcome, 'denied');
          assert.equal(error?.code, visible.includes(name) ? 'tool-unknown' : 'tool-hidden');
          const now = renames.get(name);
          if (visible.includes(name) && now !== undefined)
            assert.ok(error?.message.endsWith(`did you mean "mcp__s__${now}"?`), error?.message);
        }
      } finally {
        await box.close();
      }
    }),
    { numRuns: 150 },
  );
});
