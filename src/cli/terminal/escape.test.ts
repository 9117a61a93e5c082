import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneLine, printable } from './escape.ts';

test('printable escapes control and bidirectional characters', () => {
  assert.equal(printable('a\u001b[2Jb\u009bc\rd'), 'a\\u001b[2Jb\\u009bc\\u000dd');
  assert.equal(printable('safe\u202etxt.exe'), 'safe\\u202etxt.exe');
  assert.equal(printable('\u{e0041}'), '\\u{e0041}');
});

test('printable keeps lines and tabs, and oneLine removes them', () => {
  assert.equal(printable('a\n\tb'), 'a\n\tb');
  assert.equal(oneLine('  a\n\tb\r\nc '), 'a b c');
});

test('printable and oneLine return no control character for arbitrary text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(printable(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      assert.doesNotMatch(oneLine(text), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});
