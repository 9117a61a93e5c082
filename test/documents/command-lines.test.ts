import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
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

  test('stand in the README as they are', () => {
    const readme = pages.find(({ file }) => file === 'README.md')?.text ?? '';
    const named = [...readme.matchAll(/^\| (`.*`) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
    );
    assert.ok(named.length > 20);
    assert.deepEqual(
      named.flatMap((line) => unknownIn(program, wordsOf(line))),
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
