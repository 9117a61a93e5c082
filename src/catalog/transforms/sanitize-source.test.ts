import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testSource, testTool } from '../../../test/support/test-source.ts';
import { Catalog } from '../catalog.ts';
import { type ToolTransform, transformSource } from './transform-source.ts';
import { configuredServer } from './shaping/shape-source.ts';

const hidden = '\u200b\u{e0041}';
const evil = testTool('evil', { description: `Reads.${hidden}` });

describe('hidden characters', () => {
  test('are taken out and noticed for every server from outside, however it comes into the catalog', () => {
    const keep: ToolTransform = (tool) => tool;
    for (const mounted of [
      testSource('s', [evil]),
      transformSource(testSource('s', [evil]), keep),
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
      const told = notices.filter(({ tool }) => tool === 'mcp__s__evil');
      assert.deepEqual(
        told.map(({ message }) => message),
        ['its definition holds hidden characters (U+200B, U+E0041)'],
      );
      assert.equal(catalog.unmount('s'), mounted, 'what was mounted is what is given back');
    }
  });

  test('that come later, or with a server in the place of another, are taken out too', () => {
    const source = testSource('s', [testTool('good')]);
    const catalog = new Catalog();
    catalog.mount(source);
    source.change({ tools: [evil] });
    assert.equal(catalog.snapshot.tools[0]?.description, 'Reads.');
    assert.equal(catalog.replace(testSource('s', [evil])), source);
    assert.equal(catalog.snapshot.tools[0]?.description, 'Reads.');
  });

  test('are taken out of instructions', () => {
    const source = testSource('s', []);
    source.change({ instructions: `Be kind.${hidden}` });
    const catalog = new Catalog();
    catalog.mount(source);
    assert.equal(catalog.reachable('s').state().instructions, 'Be kind.');
  });

  test('in code of this process are its author’s own', () => {
    const catalog = new Catalog();
    catalog.mount(testSource('s', [evil], 'local:s'));
    assert.equal(catalog.snapshot.tools[0]?.description, `Reads.${hidden}`);
  });
});
