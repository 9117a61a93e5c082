import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closestMatch } from './closest-match.ts';

test('finds the key that was mistyped', () => {
  const keys = ['mcpServers', 'store', 'results', 'builtin', 'secrets'];
  for (const [typed, expected] of [
    ['mcpServer', 'mcpServers'],
    ['mcpservers', 'mcpServers'],
    ['stroe', 'store'],
    ['result', 'results'],
    ['buildin', 'builtin'],
  ] as const) {
    assert.equal(closestMatch(typed, keys), expected);
  }
});

test('finds a tool by its own name, without its server', () => {
  assert.equal(
    closestMatch('read_file', ['mcp__a__raed_file', 'mcp__files__read_file', 'mcp__files__write_file']),
    'mcp__files__read_file',
  );
});

test('finds a tool by its mistyped own name', () => {
  const tools = ['mcp__files__read_text_file', 'mcp__files__write_file', 'mcp__signalbox__ping'];
  for (const [typed, expected] of [
    ['read_txt_file', 'mcp__files__read_text_file'],
    ['pnig', 'mcp__signalbox__ping'],
    ['fils__write_file', 'mcp__files__write_file'],
    ['unrelated', undefined],
  ] as const)
    assert.equal(closestMatch(typed, tools), expected);
});

test('finds nothing for a word that is close to no candidate', () => {
  for (const word of ['', 'xylophone', 'abc', 'x'.repeat(1_000_000)])
    assert.equal(closestMatch(word, ['store', 'results']), undefined);
});

test('finds a word itself, and a word with one extra letter', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, fc.array(words), (word, others) => {
      assert.equal(closestMatch(word, [...others, word])?.toLowerCase(), word);
      assert.equal(closestMatch(`${word}z`, [word]), word);
    }),
  );
});
