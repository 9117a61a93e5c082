import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hiddenMarks, needsReveal, revealedMarks } from '../../console/src/components/approvals/hidden-marks.ts';
import { measureFolded, previewLength, formatSize } from '../../console/src/components/text/folded-text.ts';
import { hideParts } from '../../src/pipeline/approvals/hidden-parts.ts';
import { createRedactor } from '../../src/redaction/redactor.ts';

describe('folded text', () => {
  it('is measured, and shell commands, URLs and paths in it are recognized', () => {
    const kinds = (text: string): string => measureFolded(text).kinds.join(' ');
    for (const text of [
      'a\ncurl x',
      'x $(id)',
      'a && b',
      'x; reboot',
      'echo `id`',
      'x > /tmp/y',
      'a\n  rm -rf x',
      'a | sh',
    ])
      assert.match(kinds(text), /shell/, text);
    for (const text of ['see https://evil.example', 'www.evil.example', 'javascript:alert(1)', 'data:text/html,x'])
      assert.match(kinds(text), /URL/, text);
    for (const text of ['/etc/passwd', 'a "~/.ssh/id"', '../../x', String.raw`C:\Windows`, 'x=/bin/sh'])
      assert.match(kinds(text), /path/, text);
    assert.equal(kinds('Some words, and some more.\nA second line (of words): 3 of 4.'), '');
    assert.equal(formatSize(measureFolded(`${'x'.repeat(1233)}\n`)), '2 lines, 1,234 characters');
  });

  it('starts after twenty lines or two thousand characters, never inside a character', () => {
    assert.equal(previewLength('short\ntext'), 10);
    assert.equal(previewLength('x\n'.repeat(30)), 40);
    assert.equal(previewLength('x'.repeat(3000)), 2000);
    assert.equal(previewLength(`${'x'.repeat(1999)}👩${'x'.repeat(100)}`), 1999);
  });
});

describe('hidden parts', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;

  it('are marked at the positions that the server reports, before and after a reveal', () => {
    const redactor = createRedactor();
    redactor.add('KEY', 'registered-value-1');
    const piece = fc.constantFrom('x', '\n', ' a/b~c ', token, ' registered-value-1 ', '👩‍🚀');
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(' '));
    const property = fc.property(fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e', 'password'), text), (args) => {
      const source = JSON.stringify(args);
      const [before, after] = [hideParts(source, redactor, 'everything'), hideParts(source, redactor, 'registered')];
      const textAt = (value: object, path: string): string =>
        (value as Record<string, string>)[path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')] ?? '';
      for (const [index, { path, start, end }] of hiddenMarks(before.hidden).entries())
        assert.equal(textAt(before.arguments, path).slice(start, end), before.hidden[index]?.placeholder);
      const revealed = revealedMarks(before.hidden, after.hidden).filter(({ tone }) => tone === 'revealed');
      assert.equal(revealed.length, before.hidden.filter(({ kind }) => kind !== 'registered').length);
      for (const { path, start, end } of revealed)
        if (path !== '/password') assert.equal(textAt(after.arguments, path).slice(start, end), token);
    });
    fc.assert(property);
  });

  it('require a reveal unless all of them are registered secrets', () => {
    const part = { path: '/a', start: 0, length: 3, placeholder: '[redacted]' };
    assert.equal(needsReveal([{ ...part, kind: 'registered' }]), false);
    for (const kind of ['pattern', 'key', 'size'] as const)
      assert.equal(
        needsReveal([
          { ...part, kind: 'registered' },
          { ...part, kind },
        ]),
        true,
      );
  });
});
