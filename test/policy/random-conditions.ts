import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/core/json/json.ts';

/** Template tag that generates a text from generated parts. */
function template(strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<string> {
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
const integer = fc.constantFrom('0', '1', '2', '3', '-1', '9007199254740993', '1000000');
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

/** Conditions with inexact numbers, and with loop variables that hide names. */
const tricky = fc.constantFrom(
  '9007199254740991 + 2 - 9007199254740991 == 2',
  '1.0 / (0 * -1) > 0',
  "(session.count('a') + 1) * -0.0 == 0.0",
  // The time since 1970 in nanoseconds exceeds the precision of a number.
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
    integer,
    fraction,
    fc.constant('session.cost'),
    template`session.${fc.constantFrom('last', 'lastOk')}(${pattern}).seq`,
    template`session.count(${pattern})`,
    template`session.count(${pattern}, ${fc.constantFrom("'1s'", "'1h'")})`,
    template`size(${tie('list')})`,
    template`${tie('list')}.size()`,
    template`${tie('text')}.size()`,
    template`${tie('time')}.${fc.constantFrom('getFullYear', 'getMonth', 'getDayOfMonth', 'getDayOfWeek', 'getHours', 'getMinutes')}(${zone})`,
    template`(${tie('number')} ${fc.constantFrom('+', '-', '*', '/')} ${tie('number')})`,
    template`-${tie('number')}`,
    template`(${tie('bool')} ? ${tie('number')} : ${tie('number')})`,
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
    template`${tie('text')}.${fc.constantFrom('lowerAscii', 'upperAscii', 'trim')}()`,
    template`(${tie('text')} + ${tie('text')})`,
  ),
  time: fc.oneof(
    fc.constantFrom('now', 'call.time', "timestamp('2026-11-15T12:00:00Z')", "timestamp('never')", 'timestamp(1000)'),
    template`session.${fc.constantFrom('last', 'lastOk')}(${pattern}).at`,
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
    template`${tie('number')} ${comparison} ${tie('number')}`,
    template`${tie('text')} ${comparison} ${tie('text')}`,
    template`${argument} ${comparison} ${argument}`,
    template`${tie('time')} ${comparison} ${tie('time')}`,
    template`${tie('time')} - ${tie('time')} ${comparison} duration(${fc.constantFrom("'1s'", "'1.5h'", "'-3m'", "'x'")})`,
    template`has(${argument})`,
    template`${tie('text')} in ${tie('list')}`,
    template`${argument} in ${tie('list')}`,
    template`${tie('number')} in [1, 2]`,
    template`${tie('text')}.${fc.constantFrom('startsWith', 'endsWith', 'contains', 'like')}(${tie('text')})`,
    template`${tie('text')}.like(${fc.constantFrom("'*'", "'a*'", "'*.txt'", "'/*/y*'")})`,
    template`session.hasRead(${tie('text')})`,
    template`${argument}.${fc.constantFrom('all', 'exists', 'exists_one')}(${fc.constantFrom('x', 'args', 'session')}, ${fc.constantFrom('x', 'x > 1', "x == 'a'", 'args > 1', 'args.a == 1', 'session.a > args.a', "session.id == 's'", 'x.a > 1')})`,
    template`!(${tie('bool')})`,
    template`(${tie('bool')} && ${tie('bool')})`,
    template`(${tie('bool')} || ${tie('bool')})`,
    template`(${tie('bool')} ? ${tie('bool')} : ${tie('bool')})`,
  ),
}));

/** Conditions and parts of them. Many fail in evaluation, and some in compilation. */
export const conditionTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: bool },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: time },
);

const scalar = fc.constantFrom<JsonValue>(0, -0, 1, 2, 3, 1.5, -1, 2 ** 53, null, true, false, ...texts);
const unusual = fc.constantFrom<JsonValue>(
  { constructor: 'x' },
  { a: { constructor: null } },
  [{ constructor: 1 }],
  {},
  [],
);
const inner = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: unusual },
  { weight: 1, arbitrary: fc.record({ a: scalar, b: scalar }, { requiredKeys: [] }) },
);

/** Arguments with unusual values and keys. */
export const conditionArguments: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      a: fc.oneof({ weight: 5, arbitrary: scalar }, { weight: 1, arbitrary: inner }),
      b: inner,
      c: scalar,
      list: fc.oneof(fc.array(inner, { maxLength: 3 }), inner),
      in: fc.oneof(fc.record({ a: inner, in: inner, constructor: scalar }, { requiredKeys: ['a'] }), inner),
      constructor: scalar,
    },
    { requiredKeys: [] },
  )
  .chain((args) =>
    fc.integer({ min: 0, max: 9 }).map((dice) => {
      // CEL's evaluator does not accept arguments with this key as a map.
      const { constructor: _, ...rest } = args;
      return dice === 0 ? args : rest;
    }),
  );
