import { EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { messageOf } from '../../core/errors.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { ConditionProblem } from './survey-condition.ts';
import { variables } from './vocabulary.ts';

const fields =
  'id time name server effect labels annotations kind seq at args cost commands hasSubstitution words isLiteral'.split(
    ' ',
  );
/** The library names tokens by its own constants. */
const tokens: Readonly<Record<string, string>> = {
  EOF: 'the end',
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  LBRACE: '"{"',
  RBRACE: '"}"',
  COMMA: '","',
  COLON: '":"',
  DOT: '"."',
};
const doubled = new Set(['=', '&', '|']);

/** What is wrong with a condition, out of what the library threw. */
export function problemOf(error: unknown): ConditionProblem {
  const message = isCelError(error) ? error.summary : messageOf(error);
  const offset = isCelError(error) ? (error.range?.start ?? 0) : 0;
  return { offset, ...inWords(message) };
}

function inWords(message: string): Omit<ConditionProblem, 'offset'> {
  const [, unexpected] = /^Unexpected token: (\w+)$/.exec(message) ?? [];
  if (unexpected === 'EOF') return { message: 'it ends where a value should follow' };
  if (unexpected !== undefined) return { message: `${tokens[unexpected] ?? unexpected} stands where a value should` };
  const [, expected = '', got = ''] = /^Expected (\w+), got (\w+)$/.exec(message) ?? [];
  if (expected !== '') return { message: `expected ${tokens[expected] ?? expected}, found ${tokens[got] ?? got}` };
  const [, character = ''] = /^Unexpected character: (.)$/.exec(message) ?? [];
  if (doubled.has(character)) return { message, hint: `did you mean "${character}${character}"?` };
  const [, unknown] = /^Unknown variable: (.+)$/.exec(message) ?? [];
  const [, field = ''] = /^No such key: (.+)$/.exec(message) ?? [];
  const names = unknown === undefined ? fields : variables.map(({ name }) => name);
  const meant = closestMatch(unknown ?? field, names);
  if (meant !== undefined) return { message, hint: `did you mean "${meant}"?` };
  return unknown === undefined ? { message } : { message, hint: `there are ${names.join(', ')}` };
}

function isCelError(error: unknown): error is ParseError | EvaluationError | CelTypeError {
  return error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError;
}
