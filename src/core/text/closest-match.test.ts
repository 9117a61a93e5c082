import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { closestMatch } from './closest-match.ts';

test('a mistyped word finds the one it stands for', () => {
  const keys = ['mcpServers', 'store', 'results', 'builtin', 'secrets'];
  for (const [typed, meant] of [
    ['mcpServer', 'mcpServers'],
    ['mcpservers', 'mcpServers'],
    ['stroe', 'store'],
    ['result', 'results'],
    ['buildin', 'builtin'],
  ] as const) {
    assert.equal(closestMatch(typed, keys), meant);
  }
});

test('a tool is found by its own name, without its server', () => {
  assert.equal(
    closestMatch('read_file', ['mcp__a__raed_file', 'mcp__files__read_file', 'mcp__files__write_file']),
    'mcp__files__read_file',
  );
});

test('a tool is found by its own name, mistyped, too', () => {
  const tools = ['mcp__files__read_text_file', 'mcp__files__write_file', 'mcp__signalbox__ping'];
  for (const [typed, meant] of [
    ['read_txt_file', 'mcp__files__read_text_file'],
    ['pnig', 'mcp__signalbox__ping'],
    ['fils__write_file', 'mcp__files__write_file'],
    ['unrelated', undefined],
  ] as const)
    assert.equal(closestMatch(typed, tools), meant);
});

test('a word that is close to nothing finds nothing', () => {
  for (const word of ['', 'xylophone', 'abc', 'x'.repeat(1_000_000)])
    assert.equal(closestMatch(word, ['store', 'results']), undefined);
});

test('a word that is there finds itself, and one slip away is still found', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(words, fc.array(words), (word, others) => {
      assert.equal(closestMatch(word, [...others, word])?.toLowerCase(), word);
      assert.equal(closestMatch(`${word}z`, [word]), word);
    }),
  );
});
