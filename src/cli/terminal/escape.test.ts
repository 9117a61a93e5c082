import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { oneLine, printable } from './escape.ts';

test('what could act on a terminal becomes visible', () => {
  assert.equal(printable('a\u001b[2Jb\u009bc\rd'), 'a\\u001b[2Jb\\u009bc\\u000dd');
  assert.equal(printable('safe\u202etxt.exe'), 'safe\\u202etxt.exe');
  assert.equal(printable('\u{e0041}'), '\\u{e0041}');
});

test('lines and tabs stay in text, and go in a line', () => {
  assert.equal(printable('a\n\tb'), 'a\n\tb');
  assert.equal(oneLine('  a\n\tb\r\nc '), 'a b c');
});

test('no text at all brings a control character to the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(printable(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      assert.doesNotMatch(oneLine(text), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});
