import { text as readAll } from 'node:stream/consumers';
import { type ParseError, parse } from 'jsonc-parser';
import { messageOf } from '../../core/errors.ts';
import { usageError } from '../cli-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Reads call arguments: JSON from the command line or, for `-`, from standard input; `{}` when absent. */
export async function readArguments(given: string | undefined, input: Terminal['input']): Promise<unknown> {
  if (given === undefined) return {};
  return parseArguments(given === '-' ? await readAll(input) : given);
}

/** Parses JSON. Throws a usage error that shows the position of the error. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const offset = offsetOf(text, messageOf(error));
    const before = text.slice(0, offset).split('\n');
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    const what = messageOf(error)
      .replace(/ in JSON at position .*$/s, '')
      .replace(/, ".*" is not valid JSON$/s, '');
    throw usageError(
      `the arguments are not JSON: ${what} at line ${line}, column ${column}`,
      `give a JSON object in single quotes, as in '{"path": "notes.txt"}', or - to read it from standard input`,
      { lines: excerpt(text.split('\n')[line - 1] ?? '', column), data: { line, column }, cause: error },
    );
  }
}

/** Returns the offset of a syntax error. V8 reports the position of only some errors, so `jsonc-parser` finds the others. */
function offsetOf(text: string, message: string): number {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  return errors[0]?.offset ?? text.length;
}

function excerpt(line: string, column: number): string[] {
  const from = Math.max(0, column - 40);
  return [line.slice(from, from + 80), `${' '.repeat(column - 1 - from)}^`];
}
