import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { Catalog } from '../catalog.ts';
import { sanitizeTool } from './sanitize-source.ts';
import { sanitizeText } from './sanitize-text.ts';
import { configuredServer } from './shaping/shape-source.ts';
import { type ToolTransform, transformServer } from './transform-server.ts';

const hidden = '\u200b\u{e0041}';
const evil = testTool('evil', { description: `Reads.${hidden}` });

describe('hidden characters in the catalog', () => {
  test('are removed and reported for every external server, whether mounted directly, transformed or configured', () => {
    const unchanged: ToolTransform = (tool) => tool;
    for (const mounted of [
      testSource('s', [evil]),
      transformServer(testSource('s', [evil]), unchanged),
      configuredServer(testSource('s', [evil]), undefined),
      configuredServer(testSource('s', [evil]), { origin: 'the test', rename: { other: 'another' } }),
    ]) {
      const catalog = new Catalog();
      catalog.mount(mounted);
      const { tools, notices } = catalog.snapshot;
      assert.deepEqual(
        tools.map(({ description }) => description),
        ['Reads.'],
      );
      const ofTool = notices.filter(({ tool }) => tool === 'mcp__s__evil');
      assert.deepEqual(
        ofTool.map(({ message }) => message),
        ['its definition contains hidden characters (U+200B, U+E0041)'],
      );
      assert.equal(catalog.unmount('s'), mounted, 'unmount did not return the mounted source');
    }
  });

  test('are removed from tools that change later and from a replaced server', () => {
    const source = testSource('s', [testTool('good')]);
    const catalog = new Catalog();
    catalog.mount(source);
    source.change({ tools: [evil] });
    assert.equal(catalog.snapshot.tools[0]?.description, 'Reads.');
    assert.equal(catalog.replace(testSource('s', [evil])), source);
    assert.equal(catalog.snapshot.tools[0]?.description, 'Reads.');
  });

  test('are removed from instructions', () => {
    const source = testSource('s', []);
    source.change({ instructions: `Be kind.${hidden}` });
    const catalog = new Catalog();
    catalog.mount(source);
    assert.equal(catalog.reachable('s').state().instructions, 'Be kind.');
  });

  test('stay in tools of this process', () => {
    const catalog = new Catalog();
    catalog.mount(testSource('s', [evil], 'local:s'));
    assert.equal(catalog.snapshot.tools[0]?.description, `Reads.${hidden}`);
  });
});

describe('sanitizeText', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['removes control characters', 'a\u0000b\u001b[31mc\u007f\u009b', 'ab[31mc'],
    ['normalizes line ends', 'a\r\nb\rc\u2028d\n\te', 'a\nb\nc\nd\n\te'],
    ['removes bidirectional marks', 'a\u202eb\u2066c\u200f\u061c', 'abc'],
    ['removes zero-width characters', 'pa\u200bss\u200c\u200d\u2060\ufeffword', 'password'],
    ['removes tag characters', `hi${String.fromCodePoint(0xe0041, 0xe0042, 0xe01ef)}`, 'hi'],
    ['removes lone surrogates', 'a\ud800b', 'ab'],
    ['removes variation selectors that can smuggle text', 'a\ufe01\ufe02b', 'ab'],
    ['preserves whole emoji', '👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ✔︎', '👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ✔︎'],
    [
      'preserves the letters of every script',
      'Grüße, 漢字, עברית, العربية, हिन्दी',
      'Grüße, 漢字, עברית, العربية, हिन्दी',
    ],
  ];
  for (const [name, given, expected] of cases) {
    test(name, () => assert.equal(sanitizeText(given), expected));
  }

  test('leaves no hidden characters and never lengthens the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const clean = sanitizeText(text);
        assert.ok(clean.length <= text.length);
        assert.doesNotMatch(clean, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff]/);
      }),
    );
  });
});

describe('sanitizeTool', () => {
  test('sanitizes names, titles, descriptions and schema descriptions, and preserves values', () => {
    const dirty = testTool('re\u200bad', {
      title: 'R\u202eead',
      description: 'Reads\u0007.',
      annotations: { title: 'R\u200bead' },
      inputSchema: {
        type: 'object',
        properties: {
          description: { type: 'string', description: 'a\u200bb' },
          default: { title: 'c\u200bd', enum: ['e\u200bf'], default: { description: 'g\u200bh' } },
        },
        allOf: [{ description: 'i\u200bj' }],
      },
    });
    const clean = sanitizeTool(dirty);
    assert.deepEqual(
      [clean.tool, clean.title, clean.description, clean.annotations.title],
      ['read', 'Read', 'Reads.', 'Read'],
    );
    assert.deepEqual(clean.inputSchema, {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'ab' },
        default: { title: 'cd', enum: ['e\u200bf'], default: { description: 'g\u200bh' } },
      },
      allOf: [{ description: 'ij' }],
    });
    assert.equal(dirty.description, 'Reads\u0007.', 'the given tool was modified');
    assert.deepEqual(clean.notices, ['its definition contains hidden characters (U+200B, U+202E, U+0007)']);
  });

  test('returns the same schemas and no notice for a clean tool', () => {
    const tool = testTool('read', { outputSchema: { type: 'object', description: 'What was read.' } });
    const clean = sanitizeTool(tool);
    assert.equal(clean.inputSchema, tool.inputSchema);
    assert.equal(clean.outputSchema, tool.outputSchema);
    assert.deepEqual(clean.notices, []);
    assert.deepEqual({ ...clean }, { ...tool });
  });

  test('accepts a cyclic schema', () => {
    const cyclic: Record<string, unknown> = { type: 'object', description: 'a\u200b' };
    cyclic['properties'] = { self: cyclic };
    assert.equal(sanitizeTool(testTool('t', { inputSchema: cyclic })).tool, 't');
  });

  test('a hidden character in a tool name does not bypass a deny pattern', () => {
    const catalog = new Catalog();
    const source = testSource('s', [testTool('de\u200blete_all'), testTool('read')]);
    catalog.mount(configuredServer(source, { origin: 'signalbox.config.json', deny: ['delete*'] }));
    assert.deepEqual(
      catalog.snapshot.tools.map(({ name }) => name),
      ['mcp__s__read'],
    );
    assert.equal(catalog.snapshot.hidden[0]?.name, 'mcp__s__delete_all');
  });
});
