import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTwoFilesPatch } from 'diff';
import { diffLines } from '../../console/src/components/calls/diff-lines.ts';
import { escapeInvisible } from '../../console/src/components/text/escape-invisible.ts';

describe('diffs in the console', () => {
  it('show every added and removed line, also lines that look like the header of a diff', () => {
    const before = '-- one\nIndex: two\nkept\n';
    const after = '++ one\ndiff two\nkept\n';
    assert.deepEqual(
      diffLines(createTwoFilesPatch('a.sql', 'a.sql', before, after)).map(({ kind, text }) => `${kind} ${text}`),
      ['place @@ -1,3 +1,3 @@', 'removed --- one', 'removed -Index: two', 'added +++ one', 'added +diff two', '  kept'],
    );
  });

  it('escape invisible characters, and nothing else', () => {
    assert.equal(escapeInvisible('a\u202eb\u0007\u{e0041}\u3164'), 'a\\u202eb\\u0007\\u{e0041}\\u3164');
    assert.equal(escapeInvisible('שלום, Grüße ☕️ 👩‍🚀\n\ttab'), 'שלום, Grüße ☕️ 👩\\u200d🚀\n\ttab');
    assert.equal(diffLines('@@ -1 +1 @@\n+if (a) \u2066x\r')[1]?.text, '+if (a) \\u2066x');
  });
});
