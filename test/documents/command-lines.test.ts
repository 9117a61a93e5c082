import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal/terminal.ts';
import { commandLinesOf, unknownParts, wordsOf } from './command-lines.ts';
import { pages } from './pages.ts';

suite('commands in the documentation', async () => {
  const program = await createProgram({ terminal: processTerminal(), exitWith: () => undefined });

  test('of shell blocks exist, with their options', () => {
    const lines = pages.flatMap((page) => commandLinesOf(page).map((line) => ({ page: page.file, ...line })));
    assert.ok(lines.length > 20);
    const wrong = lines.flatMap(({ page, line, words }) =>
      unknownParts(program, words).map((problem) => `${page}:${line}: ${problem}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('of sentences and tables exist, with their options', () => {
    const named = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/`(?:npx |bin\/)?signalbox ([a-z][^`\n]*)`/g)].map(([, line = '']) => ({ file, line })),
    );
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.flatMap(({ file, line }) => unknownParts(program, wordsOf(line)).map((problem) => `${file}: ${problem}`)),
      [],
    );
  });

  test('that do not exist are reported', () => {
    const text =
      '```sh\nsignalbox serve --prot 1 # or\nX=$(signalbox tokn list) && signalbox call ping --nothing\n```\n';
    assert.deepEqual(
      commandLinesOf({ file: 'page.md', text }).flatMap(({ words, line }) => [line, ...unknownParts(program, words)]),
      [2, 'serve has no --prot', 3, 'there is no command tokn list', 3, 'call has no --nothing'],
    );
  });
});
