import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anchorsOf, brokenLinks } from './links.ts';
import { pages } from './pages.ts';

suite('links in the documentation', () => {
  test('point to existing files and headings', () => {
    assert.ok(pages.length > 30);
    assert.deepEqual(brokenLinks(pages), []);
  });

  test('that are broken are reported with their line', () => {
    const text = [
      '# One thing',
      '[here](#one-thing) [there](other.md#gone) [code](../package.json) [away](https://example.com/x)',
      '```',
      '[not a link](nowhere.md)',
      '```',
      '`[nor this](nowhere.md)` [none](none.md) [out](../../../etc/hosts) [odd](../package.json#x)',
    ].join('\n');
    const found = brokenLinks([
      { file: 'docs/page.md', text },
      { file: 'docs/other.md', text: '' },
    ]);
    assert.deepEqual(found, [
      'docs/page.md:2: other.md#gone (no such heading)',
      'docs/page.md:6: none.md (no such file)',
      'docs/page.md:6: ../../../etc/hosts (no such file)',
      'docs/page.md:6: ../package.json#x (an anchor in a file that is not a page)',
    ]);
  });

  test('to headings use the anchors of GitHub', () => {
    const text = '# `signalbox call` TOOL [JSON]\n## What’s *this*?\n## Again\n## Again\n## A [link](x.md), é_1';
    assert.deepEqual(
      [...anchorsOf({ file: 'page.md', text })],
      ['signalbox-call-tool-json', 'whats-this', 'again', 'again-1', 'a-link-é_1'],
    );
  });
});
