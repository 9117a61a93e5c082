import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { CliError } from '../cli-error.ts';
import { parseArguments, readArguments } from './call-arguments.ts';

function failureOf(text: string): CliError {
  try {
    parseArguments(text);
  } catch (error) {
    assert.ok(error instanceof CliError);
    return error;
  }
  return assert.fail(`${text} was accepted`);
}

test('arguments come from the command line, from standard input, or there are none', async () => {
  assert.deepEqual(await readArguments('{"a":1}', Readable.from([])), { a: 1 });
  assert.deepEqual(await readArguments('-', Readable.from(['{"a"', ':2}'])), { a: 2 });
  assert.deepEqual(await readArguments(undefined, Readable.from([])), {});
});

test('what is not JSON is refused with its place', () => {
  const places: [string, number, number][] = [
    ['{a: 1}', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a": x}', 1, 7],
    ['{"a": 1', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['', 1, 1],
    ['// no\n{}', 1, 1],
  ];
  for (const [text, line, column] of places) {
    const failure = failureOf(text);
    assert.deepEqual([failure.exitCode, failure.details.data], [2, { line, column }], text);
    assert.match(failure.message, new RegExp(`at line ${line}, column ${column}$`));
  }
});

test('the place is marked below an excerpt, also in a long line', () => {
  const [line = '', mark = ''] = failureOf(`{"a": ${'1'.repeat(200)}, b}`).details.lines ?? [];
  assert.equal(line[mark.indexOf('^')], 'b');
  assert.ok(line.length <= 80);
});
