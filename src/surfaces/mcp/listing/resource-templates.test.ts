import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayExpandTo } from './catalog-view.ts';

test('a URI belongs to a template whose literal parts it has in their order', () => {
  const families = [
    ['note://{name}', 'note://one', true],
    ['note://{name}', 'note://one/two', false],
    ['note://{+path}', 'note://one/two', true],
    ['repo://{owner}/{repo}/contents{/path*}', 'repo://ada/tools/contents/src/index.ts', true],
    ['repo://{owner}/{repo}/contents', 'repo://ada/tools/content', false],
    ['search://items{?q,page}', 'search://items?q=a', true],
    ['search://items{?q,page}', 'search://items', true],
    ['note://{name}.txt', 'note://.txt', true],
    ['note://{name}.txt', 'note://a.md', false],
    ['note://one', 'note://one', true],
    ['note://one', 'note://one/more', false],
  ] as const;
  for (const [template, uri, expected] of families)
    assert.equal(mayExpandTo(template, uri), expected, `${template} ${uri}`);
});

test('a template without a literal scheme belongs to no URI: it would claim those of every server', () => {
  assert.equal(mayExpandTo('{+anything}', 'bank://accounts'), false);
  assert.equal(mayExpandTo('{scheme}://x', 'bank://x'), false);
});

test('a hostile template ends at once: one that backtracks would not end', () => {
  const template = `x:${'{+a}'.repeat(40)}~`;
  assert.equal(mayExpandTo(template, `x:${'a'.repeat(100_000)}`), false);
});
