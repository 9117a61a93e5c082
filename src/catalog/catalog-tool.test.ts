import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogTool } from './catalog-tool.ts';
import { testSource, testTool as tool } from '../../test/support/boxes/test-source.ts';
import type { SourceTool } from './source/source.ts';

function hashOf(offered: SourceTool, server = 's'): string {
  return catalogTool(testSource(server), offered).definition.definitionHash;
}

describe('the definition hash', () => {
  test('does not depend on the order of keys', () => {
    const one = tool('t', {
      inputSchema: { type: 'object', properties: { a: { type: 'string', minLength: 1 }, b: true } },
      _meta: { x: 1, y: { z: 2, w: 3 } },
    });
    const other = tool('t', {
      _meta: { y: { w: 3, z: 2 }, x: 1 },
      inputSchema: { properties: { b: true, a: { minLength: 1, type: 'string' } }, type: 'object' },
    });
    assert.equal(hashOf(one), hashOf(other));
  });

  test('changes with every property of the definition', () => {
    const changes: readonly Partial<SourceTool>[] = [
      { tool: 'other' },
      { title: 'Title' },
      { description: 'Changed.' },
      { inputSchema: { type: 'object' } },
      {
        inputSchema: { type: 'object', properties: { b: { type: 'number' }, a: { type: 'string', description: '' } } },
      },
      { inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: [] } },
      { outputSchema: {} },
      { outputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: true } },
      { annotations: { readOnlyHint: false } },
      { effect: 'irreversible' },
      { idempotent: true },
      { labels: ['private'] },
      { labels: ['private', 'external'] },
      { labels: ['external', 'private'] },
      { timeoutMs: 1000 },
      { _meta: {} },
      { _meta: { a: null } },
    ];
    const hashes = [
      hashOf(tool('t')),
      hashOf(tool('t'), 'otherserver'),
      ...changes.map((change) => hashOf(tool('t', change))),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
    for (const hash of hashes) assert.match(hash, /^[0-9a-f]{64}$/);
  });

  test('does not change with notices or code', () => {
    assert.equal(
      hashOf(tool('t')),
      hashOf(tool('t', { notices: ['x'], run: () => 1, parse: () => ({ ok: false, problems: [] }) })),
    );
  });

  test('differs exactly when the schemas differ', () => {
    const schema = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        assert.equal(hashOf(tool('t', { inputSchema: one })) === hashOf(tool('t', { inputSchema: other })), same);
        assert.equal(
          hashOf(tool('t', { inputSchema: sorted(one) as Record<string, unknown> })),
          hashOf(tool('t', { inputSchema: one })),
        );
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
