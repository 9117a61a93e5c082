import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { CliError } from '../cli-error.ts';
import { parseArguments, readArguments } from './call-arguments.ts';

function errorOf(text: string): CliError {
  try {
    parseArguments(text);
  } catch (error) {
    assert.ok(error instanceof CliError);
    return error;
  }
  return assert.fail(`${text} was accepted`);
}

test('readArguments reads the command line or standard input, and returns {} without arguments', async () => {
  assert.deepEqual(await readArguments('{"a":1}', Readable.from([])), { a: 1 });
  assert.deepEqual(await readArguments('-', Readable.from(['{"a"', ':2}'])), { a: 2 });
  assert.deepEqual(await readArguments(undefined, Readable.from([])), {});
});

test('parseArguments rejects invalid JSON with the line and column', () => {
  const cases: [string, number, number][] = [
    ['{a: 1}', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": x}', 1, 7],
    ['{"a": 1', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['', 1, 1],
    ['// no\n{}', 1, 1],
  ];
  for (const [text, line, column] of cases) {
    const error = errorOf(text);
    assert.deepEqual([error.exitCode, error.details.data], [2, { line, column }], text);
    assert.match(error.message, new RegExp(`at line ${line}, column ${column}$`));
  }
});

test('parseArguments marks the position below an excerpt, also in a long line', () => {
  const [line = '', mark = ''] = errorOf(`{"a": ${'1'.repeat(200)}, b}`).details.lines ?? [];
  assert.equal(line[mark.indexOf('^')], 'b');
  assert.ok(line.length <= 80);
});
