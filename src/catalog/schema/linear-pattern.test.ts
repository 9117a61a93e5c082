import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { linearPattern } from './linear-pattern.ts';

const texts = [
  '',
  'a',
  'aaa',
  'aaaa!',
  'aXa',
  'a-',
  '-a',
  '-',
  ':',
  'z',
  '[x]',
  'a b',
  'abc|def',
  'A_1-b.c',
  'Ab1defgh',
  '2024-01-01',
  'x@y.zz',
  'foo@bar',
  'https://x',
  'linear',
  'é',
  '日本',
  'line\nbreak',
  '\t',
  '\u00A0',
  '\u2028',
  '\v',
  '\0',
  '\b',
  '😀😀',
];
const patterns = [
  '^(a+)+$',
  '^[a-z]+-[0-9]+$',
  String.raw`^\S+@\S+\.\S+$`,
  String.raw`(\w+\s?)+$`,
  '^(?:.+)+$',
  '^(?:[^]+)+$',
  '^(?!.*[Ll][Ii][Nn])(?!.*x).*$',
  String.raw`^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$`,
  String.raw`^([^\s]+)+$`,
  String.raw`[\s\S]+x+`,
  '^(?:[[:x]+)+$',
  String.raw`^(\@|\:)+$`,
  String.raw`^(\z+)+`,
  String.raw`(?:[\b]+)+`,
  String.raw`^(\u00e9+)+$`,
  '^(a|b)+(?<!-)$',
  String.raw`^(?:\p{L}+)+$`,
  String.raw`^(?:a+|\0)+$`,
  String.raw`^(?:\[x\]+)+$`,
  '^.{1,2000}$',
  '^..$',
  '(?:😀)+$',
  String.raw`^(?:\d+|\.)+$`,
];

function native(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

describe('linearPattern', () => {
  test('matches the same texts as the pattern in JavaScript', () => {
    for (const pattern of patterns)
      for (const text of texts)
        assert.equal(
          linearPattern(pattern).test(text),
          native(pattern).test(text),
          `${pattern} on ${JSON.stringify(text)}`,
        );
  });

  test('matches the same texts as JavaScript for random patterns and texts', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      String.raw`\d`,
      String.raw`\s`,
      '[a-c]',
      '[^b]',
      String.raw`\.`,
      '(?:a|b)',
      '(ab)',
    );
    const piece = fc.tuple(part, fc.constantFrom('', '*', '+', '?', '{1,3}')).map(([one, repeat]) => one + repeat);
    const pattern = fc
      .tuple(
        fc.constantFrom('', '^', '^(?=.*a)', '^(?!b)'),
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
      )
      .map(([start, pieces, isEnd]) => `${start}(?:${pieces.join('')})+${isEnd ? '$' : ''}`);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', ' ', '1', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (given, value) => linearPattern(given).test(value) === native(given).test(value)),
      { seed: 7, numRuns: 2000 },
    );
  });

  test('runs no pattern that can backtrack on the native engine', () => {
    // Each of these takes the native engine hours.
    const backtracking = [
      '^(a+)+$',
      '^(a|aa)+$',
      '^(a|a?)+$',
      '^([a-z]+)*$',
      '^(?=(a+)+$)a',
      '^(?:a?){40}a{40}$',
      '^a*a*a*a*a*a*!?$',
    ];
    const text = `${'a'.repeat(20_000)}!!`;
    for (const pattern of backtracking) assert.equal(linearPattern(pattern).test(text), false, pattern);
  });

  test('throws for backreferences, inner lookaheads and invalid patterns', () => {
    for (const pattern of [String.raw`^(a+)\1+$`, 'a(?=b+)c+', String.raw`(?<n>a+)\k<n>+`])
      assert.throws(() => linearPattern(pattern), /cannot be checked in linear time/, pattern);
    assert.throws(() => linearPattern('['), /Unterminated character class/);
  });
});
