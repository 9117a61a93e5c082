import { messageOf } from '../../core/errors.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { CostExpression } from '../facts/meter.ts';
import type { ConditionInput } from './condition-input.ts';
import { type WindowMeters, conditionLanguage, costLanguage } from './condition-language.ts';
import { type Evaluation, evaluateWithin } from './running-evaluation.ts';
import { meterCondition } from './metered-evaluation.ts';
import { type ConditionProblem, surveyCondition } from './survey-condition.ts';
import { variables } from './vocabulary.ts';
import { WorkBudget } from './work-budget.ts';
import { type Environment, EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';

/** A compiled condition. */
export interface Condition {
  readonly text: string;
  /** The patterns of tools whose earlier calls it reads. */
  readonly toolPatterns: readonly string[];
  /** The names of arguments whose prefix it compares as text although they contain a command or a path. */
  readonly prefixComparedArguments: readonly string[];
  /** Whether the condition depends on `tool.name`. */
  readonly readsToolName: boolean;
  /** Returns whether the condition holds. Throws when it cannot be evaluated, for example because an argument is missing. */
  readonly holds: (input: ConditionInput) => boolean;
  /** Returns the values that explain the result, by their text in the condition. */
  readonly explain: (input: ConditionInput) => JsonObject;
}

/** The result of compiling a condition. */
export type CompileResult<Value> =
  | { readonly value: Value; readonly problems?: never }
  | { readonly value?: never; readonly problems: readonly ConditionProblem[] };

const maxTextLength = 4000;
const maxDisplayLength = 200;

/** Compiles the conditions of one policy. */
export class ConditionCompiler {
  readonly #conditions: Environment;
  readonly #meters: WindowMeters;
  #costs: Environment | undefined;

  constructor(meters: WindowMeters) {
    this.#meters = meters;
    this.#conditions = conditionLanguage(meters);
  }

  /** Compiles a condition. Reports everything that is not part of the language now, not at the first call. */
  condition(text: string): CompileResult<Condition> {
    const parsed = parse(this.#conditions, text, ['bool', 'dyn'], 'true or false');
    if (parsed.problems !== undefined) return parsed;
    const { run, survey } = parsed.value;
    for (const { pattern, window } of survey.windows) this.#meters.of(pattern, window);
    const { explainedParts, prefixComparedArguments, readsToolName, toolPatterns } = survey;
    // Prepared on first use, because rules may also be read only for validation.
    let explained: readonly (readonly [string, Run])[] | undefined;
    const holds = (input: ConditionInput): boolean => {
      const answer = run(input);
      if (typeof answer !== 'boolean') throw new Error(`it evaluates to ${typeNameOf(answer)}, not true or false`);
      return answer;
    };
    const explain = (input: ConditionInput): JsonObject => {
      explained ??= explainedParts.map((part) => [withPlainKeys(part), compilePart(this.#conditions, part)]);
      return evaluateParts(explained, input);
    };
    return {
      value: { text, readsToolName, toolPatterns, prefixComparedArguments, holds, explain },
    };
  }

  /** Compiles the cost expression of a call. */
  cost(text: string): CompileResult<CostExpression> {
    const language = (this.#costs ??= costLanguage());
    const parsed = parse(language, text, ['int', 'double', 'dyn'], 'a number');
    if (parsed.problems !== undefined) return parsed;
    const { run } = parsed.value;
    const evaluate = (args: JsonObject, work = new WorkBudget(0)): number => {
      const cost = run({ args, work } as Evaluation);
      const number = typeof cost === 'bigint' ? Number(cost) : cost;
      if (typeof number !== 'number' || !Number.isFinite(number) || number < 0)
        throw new Error(`${text} evaluates to ${typeNameOf(cost)}, which is not a valid cost`);
      return number;
    };
    return { value: { text, evaluate } };
  }
}

type Run = (input: Evaluation) => unknown;

interface Parsed {
  readonly run: Run;
  readonly survey: ReturnType<typeof surveyCondition>;
}

function parse(language: Environment, text: string, types: readonly string[], expected: string): CompileResult<Parsed> {
  if (text.length > maxTextLength)
    return { problems: [{ offset: 0, message: `the condition has more than ${maxTextLength} characters` }] };
  try {
    const expression = language.parse(text);
    const survey = surveyCondition(expression.ast);
    if (survey.problems.length > 0) return { problems: survey.problems };
    const { valid, type = '', error } = expression.check();
    if (!valid) return { problems: [toConditionProblem(error)] };
    if (!types.includes(type))
      return { problems: [{ offset: 0, message: `it evaluates to ${type}, expected ${expected}` }] };
    const units = meterCondition(expression.ast);
    return {
      value: { run: (input) => evaluateWithin(input, units, () => expression(input) as unknown), survey },
    };
  } catch (error) {
    return { problems: [toConditionProblem(error)] };
  }
}

/** Compiles a part of a condition that has already compiled as a whole. */
function compilePart(language: Environment, text: string): Run {
  const expression = language.parse(text);
  expression.check();
  return expression;
}

/** Converts `args['password']` to `args.password`, because redaction recognizes secrets by the name of their key. */
function withPlainKeys(part: string): string {
  return part.replace(/\[(['"])([\w-]+)\1\]/g, '.$2');
}

function evaluateParts(explained: readonly (readonly [string, Run])[], input: ConditionInput): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const [part, run] of explained) {
    try {
      values[part] = toDisplayValue(run(input));
    } catch {
      // A missing value is not shown.
    }
  }
  return values;
}

/** Converts a value of a condition to short, plain JSON for display. */
function toDisplayValue(value: unknown): JsonValue {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'string':
      return truncate(value);
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return value.toISOString();
      if (value instanceof Set) return toDisplayValue([...value]);
      return toDisplayObject(value);
    case 'undefined':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
  }
}

function toDisplayObject(value: object): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return 'an object';
  const text = jsonPrefixOf(value);
  return text.length <= maxDisplayLength ? (JSON.parse(text) as JsonValue) : truncate(text);
}

/** Returns the beginning of a value as JSON, a little more than is displayed. The rest of a large value is not serialized. */
function jsonPrefixOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxDisplayLength + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key in value) {
    if (text.length > maxDisplayLength) return text;
    const inner = jsonPrefixOf((value as Readonly<Record<string, unknown>>)[key]);
    text += `${text.length === 1 ? '' : ','}${isList ? '' : `${JSON.stringify(key)}:`}${inner}`;
  }
  return text + (isList ? ']' : '}');
}

function truncate(text: string): string {
  return text.length <= maxDisplayLength
    ? text
    : `${text.slice(0, maxDisplayLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const fields =
  'id time name server effect labels annotations kind seq at args cost commands hasSubstitution words isLiteral'.split(
    ' ',
  );
/** The names of the library's token constants. */
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

/** Converts an error of the library to a problem of a condition. */
function toConditionProblem(error: unknown): ConditionProblem {
  const message = isCelError(error) ? error.summary : messageOf(error);
  const offset = isCelError(error) ? (error.range?.start ?? 0) : 0;
  return { offset, ...describe(message) };
}

function describe(message: string): Omit<ConditionProblem, 'offset'> {
  const [, unexpected] = /^Unexpected token: (\w+)$/.exec(message) ?? [];
  if (unexpected === 'EOF') return { message: 'unexpected end, expected a value' };
  if (unexpected !== undefined) return { message: `unexpected ${tokens[unexpected] ?? unexpected}, expected a value` };
  const [, expected = '', got = ''] = /^Expected (\w+), got (\w+)$/.exec(message) ?? [];
  if (expected !== '') return { message: `expected ${tokens[expected] ?? expected}, found ${tokens[got] ?? got}` };
  const [, character = ''] = /^Unexpected character: (.)$/.exec(message) ?? [];
  if (doubled.has(character)) return { message, hint: `did you mean "${character}${character}"?` };
  const [, unknown] = /^Unknown variable: (.+)$/.exec(message) ?? [];
  const [, field = ''] = /^No such key: (.+)$/.exec(message) ?? [];
  const names = unknown === undefined ? fields : variables.map(({ name }) => name);
  const meant = closestMatch(unknown ?? field, names);
  if (meant !== undefined) return { message, hint: `did you mean "${meant}"?` };
  return unknown === undefined ? { message } : { message, hint: `expected one of ${names.join(', ')}` };
}

function isCelError(error: unknown): error is ParseError | EvaluationError | CelTypeError {
  return error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError;
}
