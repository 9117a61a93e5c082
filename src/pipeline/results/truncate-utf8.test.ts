import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { truncateUtf8 } from './truncate-utf8.ts';

describe('truncateUtf8', () => {
  test('returns a text within the limit unchanged, and cuts others after a character, or after a line that ends nearby', () => {
    assert.equal(truncateUtf8('héllo', 6), 'héllo');
    assert.equal(truncateUtf8('héllo', 5), 'héll');
    assert.equal(truncateUtf8('a😀b', 4), 'a');
    assert.equal(truncateUtf8('a😀b', 5), 'a😀');
    const line = `${'x'.repeat(99)}\n`;
    assert.equal(truncateUtf8(line.repeat(20), 1050), line.repeat(10));
    assert.equal(truncateUtf8(`short\n${'y'.repeat(2000)}`, 1000), `short\n${'y'.repeat(994)}`);
  });

  test('returns a well-formed prefix within the limit', () => {
    const unit = fc.oneof(fc.constant('\n'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 200 }), fc.nat(500), (units, maxBytes) => {
        const text = units.join('');
        const cut = truncateUtf8(text, maxBytes);
        assert.ok(text.startsWith(cut) && cut.isWellFormed());
        assert.ok(Buffer.byteLength(cut) <= maxBytes);
        assert.ok(cut === text || Buffer.byteLength(cut) >= maxBytes * 0.8 - 4, 'no more is cut than necessary');
      }),
    );
  });
});
