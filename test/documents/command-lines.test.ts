import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal/terminal.ts';
import { commandLinesOf, unknownIn, wordsOf } from './command-lines.ts';
import { pages } from './pages.ts';

suite('the commands that pages tell people to run', async () => {
  const program = await createProgram({ terminal: processTerminal(), exitWith: () => undefined });

  test('and their options are there', () => {
    const lines = pages.flatMap((page) => commandLinesOf(page).map((line) => ({ page: page.file, ...line })));
    assert.ok(lines.length > 20);
    const wrong = lines.flatMap(({ page, line, words }) =>
      unknownIn(program, words).map((problem) => `${page}:${line}: ${problem}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('inside sentences and tables are there, too', () => {
    const named = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/`(?:npx |bin\/)?signalbox ([a-z][^`\n]*)`/g)].map(([, line = '']) => ({ file, line })),
    );
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.flatMap(({ file, line }) => unknownIn(program, wordsOf(line)).map((problem) => `${file}: ${problem}`)),
      [],
    );
  });

  test('that are not there are found', () => {
    const text =
      '```sh\nsignalbox serve --prot 1 # or\nX=$(signalbox tokn list) && signalbox call ping --nothing\n```\n';
    assert.deepEqual(
      commandLinesOf({ file: 'page.md', text }).flatMap(({ words, line }) => [line, ...unknownIn(program, words)]),
      [2, 'serve has no --prot', 3, 'there is no command tokn list', 3, 'call has no --nothing'],
    );
  });
});
