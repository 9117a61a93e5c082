import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/core/json/json.ts';

/** Joins generated texts into one. */
function written(strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((values) =>
      strings.map((string, index) => string + (index < values.length ? String(values[index]) : '')).join(''),
    );
}

const pattern = fc.constantFrom("'a'", "'b*'", "'*'", "'none'");
const texts = ['a', 'b', 'A b', '/x/y.txt', 'x', 'é𝄞', ''];
const text = fc.constantFrom(...texts).map((each) => `'${each}'`);
const zone = fc.constantFrom(
  '',
  '',
  "'Europe/Berlin'",
  "'America/New_York'",
  "'Asia/Kolkata'",
  "'Nowhere/Else'",
  'args.a',
);
const whole = fc.constantFrom('0', '1', '2', '3', '-1', '9007199254740993', '1000000');
const fraction = fc.constantFrom('0.0', '1.5', '2.0', '-0.0', '3.0');
const comparison = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const argument = fc.constantFrom(
  'args.a',
  'args.a',
  'args.b',
  "args['b']",
  'args.c',
  'args.list',
  'args.list[0]',
  'args.list[7]',
  'args.in.a',
  'args.in.in',
  'args.missing',
  'args.constructor',
  'args.in.constructor',
  "session.last('a').args.a",
);

/** Where numbers are not exact, and where names are hidden by the variable of a loop. */
const tricky = fc.constantFrom(
  '9007199254740991 + 2 - 9007199254740991 == 2',
  '1.0 / (0 * -1) > 0',
  "(session.count('a') + 1) * -0.0 == 0.0",
  // The time since 1970 in nanoseconds is more than a number can hold.
  "now - session.last('none').at < duration('1794746096.002s')",
  "now - session.last('none').at >= duration('1794746096.002s')",
  "args.list.exists(session, session.count('a') > 0)",
  "args.list.all(session, session.last('a').seq == 0)",
  'args.list.exists(now, now == 1)',
  "args.list.exists(tool, tool.name == 'A b')",
);

interface Texts {
  readonly bool: string;
  readonly number: string;
  readonly text: string;
  readonly time: string;
  readonly list: string;
}

const {
  bool,
  number,
  text: anyText,
  time,
} = fc.letrec<Texts>((tie) => ({
  number: fc.oneof(
    { maxDepth: 3 },
    argument,
    whole,
    fraction,
    fc.constant('session.cost'),
    written`session.${fc.constantFrom('last', 'lastOk')}(${pattern}).seq`,
    written`session.count(${pattern})`,
    written`session.count(${pattern}, ${fc.constantFrom("'1s'", "'1h'")})`,
    written`size(${tie('list')})`,
    written`${tie('list')}.size()`,
    written`${tie('text')}.size()`,
    written`${tie('time')}.${fc.constantFrom('getFullYear', 'getMonth', 'getDayOfMonth', 'getDayOfWeek', 'getHours', 'getMinutes')}(${zone})`,
    written`(${tie('number')} ${fc.constantFrom('+', '-', '*', '/')} ${tie('number')})`,
    written`-${tie('number')}`,
    written`(${tie('bool')} ? ${tie('number')} : ${tie('number')})`,
  ),
  text: fc.oneof(
    { maxDepth: 3 },
    argument,
    text,
    fc.constantFrom(
      'tool.name',
      'tool.server',
      'tool.effect',
      'principal.id',
      'principal.kind',
      'session.id',
      'call.id',
    ),
    written`${tie('text')}.${fc.constantFrom('lowerAscii', 'upperAscii', 'trim')}()`,
    written`(${tie('text')} + ${tie('text')})`,
  ),
  time: fc.oneof(
    fc.constantFrom('now', 'call.time', "timestamp('2026-11-15T12:00:00Z')", "timestamp('never')", 'timestamp(1000)'),
    written`session.${fc.constantFrom('last', 'lastOk')}(${pattern}).at`,
  ),
  list: fc.oneof(
    argument,
    fc.constantFrom('tool.labels', 'session.labels', 'args', "['a', 'b']", '[1, 2]', "['a', 2]", '[]', '[args.a]'),
  ),
  bool: fc.oneof(
    { maxDepth: 4 },
    argument,
    tricky,
    fc.constantFrom('true', 'false', 'args.a == null', "args.a == 'a'", 'null == args.c'),
    written`${tie('number')} ${comparison} ${tie('number')}`,
    written`${tie('text')} ${comparison} ${tie('text')}`,
    written`${argument} ${comparison} ${argument}`,
    written`${tie('time')} ${comparison} ${tie('time')}`,
    written`${tie('time')} - ${tie('time')} ${comparison} duration(${fc.constantFrom("'1s'", "'1.5h'", "'-3m'", "'x'")})`,
    written`has(${argument})`,
    written`${tie('text')} in ${tie('list')}`,
    written`${argument} in ${tie('list')}`,
    written`${tie('number')} in [1, 2]`,
    written`${tie('text')}.${fc.constantFrom('startsWith', 'endsWith', 'contains', 'like')}(${tie('text')})`,
    written`${tie('text')}.like(${fc.constantFrom("'*'", "'a*'", "'*.txt'", "'/*/y*'")})`,
    written`session.hasRead(${tie('text')})`,
    written`${argument}.${fc.constantFrom('all', 'exists', 'exists_one')}(${fc.constantFrom('x', 'args', 'session')}, ${fc.constantFrom('x', 'x > 1', "x == 'a'", 'args > 1', 'args.a == 1', 'session.a > args.a', "session.id == 's'", 'x.a > 1')})`,
    written`!(${tie('bool')})`,
    written`(${tie('bool')} && ${tie('bool')})`,
    written`(${tie('bool')} || ${tie('bool')})`,
    written`(${tie('bool')} ? ${tie('bool')} : ${tie('bool')})`,
  ),
}));

/** Conditions and pieces of them, many of which cannot be evaluated, some not even loaded. */
export const conditionTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: bool },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: time },
);

const single = fc.constantFrom<JsonValue>(0, -0, 1, 2, 3, 1.5, -1, 2 ** 53, null, true, false, ...texts);
const odd = fc.constantFrom<JsonValue>(
  { constructor: 'x' },
  { a: { constructor: null } },
  [{ constructor: 1 }],
  {},
  [],
);
const inner = fc.oneof(
  { weight: 6, arbitrary: single },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: fc.record({ a: single, b: single }, { requiredKeys: [] }) },
);

/** Arguments, with everything in them that is unusual. */
export const conditionArguments: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      a: fc.oneof({ weight: 5, arbitrary: single }, { weight: 1, arbitrary: inner }),
      b: inner,
      c: single,
      list: fc.oneof(fc.array(inner, { maxLength: 3 }), inner),
      in: fc.oneof(fc.record({ a: inner, in: inner, constructor: single }, { requiredKeys: ['a'] }), inner),
      constructor: single,
    },
    { requiredKeys: [] },
  )
  .chain((args) =>
    fc.integer({ min: 0, max: 9 }).map((dice) => {
      // With a key of this name the whole of the arguments is no map to CEL's evaluator.
      const { constructor: _, ...rest } = args;
      return dice === 0 ? args : rest;
    }),
  );
