import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mayExpandTo } from './catalog-view.ts';

describe('mayExpandTo', () => {
  test('matches a URI that has the literal parts of the template in order', () => {
    const cases = [
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
    for (const [template, uri, expected] of cases)
      assert.equal(mayExpandTo(template, uri), expected, `${template} ${uri}`);
  });

  test('a template without a literal scheme matches nothing, because it would claim the URIs of every server', () => {
    assert.equal(mayExpandTo('{+anything}', 'bank://accounts'), false);
    assert.equal(mayExpandTo('{scheme}://x', 'bank://x'), false);
  });

  test('a hostile template takes linear time', () => {
    const template = `x:${'{+a}'.repeat(40)}~`;
    assert.equal(mayExpandTo(template, `x:${'a'.repeat(100_000)}`), false);
  });
});
