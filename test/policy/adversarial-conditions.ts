import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/core/json/json.ts';
import { conditionTexts } from './random-conditions.ts';

const megabyte = 1_000_000;

/** Values near the size limit of a request, each expensive for a different reason. */
export const largeValues: Readonly<Record<string, () => JsonValue>> = {
  'one letter': () => 'a'.repeat(megabyte),
  'one letter, almost': () => `${'a'.repeat(megabyte / 20)}b${'a'.repeat(megabyte / 20)}`,
  'other alphabets': () => 'é𝄞İK'.repeat(megabyte / 5),
  separators: () => '/'.repeat(megabyte),
  digits: () => '1'.repeat(megabyte),
  spaces: () => ' '.repeat(megabyte),
  numbers: () => Array.from({ length: 100_000 }, (_, index) => index),
  texts: () => Array.from({ length: 100_000 }, (_, index) => `text ${index}`),
  'equal texts': () => Array.from({ length: 1000 }, () => 'a'.repeat(1000)),
  objects: () => Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: 'x' })),
  lists: () => Array.from({ length: 1000 }, (_, index) => Array.from({ length: 100 }, () => index)),
  'many keys': () => Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index])),
  'some keys': () => Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index])),
  ...Object.fromEntries(
    ['$(', '`', '{', '((', '<<a ', '>a ', 'a; ', 'a <<E\n$(b)\nE\n', '${a:-', '"$(', '[[ ( ', "$'\\"].map((piece) => [
      `shell text of ${piece}`,
      () => piece.repeat(12_000 / piece.length),
    ]),
  ),
  'nested substitutions': () => `${'$('.repeat(200)}a${')'.repeat(200)}`,
  'long path': () => '/a/..'.repeat(800),
  deep: () => Array.from({ length: 200 }).reduce<JsonValue>((inner) => [inner, inner === 0 ? 0 : 1], 0),
  'odd first': () => [{ constructor: 1 }, ...Array.from({ length: 50_000 }, () => 1)],
};

/** Conditions whose functions and operators are slow on some of these values. */
export const slowConditions: readonly string[] = [
  'args.list.all(x, x in args.b)',
  'args.list.exists(x, args.list.exists(y, x == y && x != y))',
  'args.list.all(x, args.a.contains(x))',
  'args.list.all(x, args.b.all(y, string(y) != x))',
  "args.a.split('').all(x, x in args.b)",
  "args.a.split('/').size() == 7",
  'args.a.split(args.b).size() == 7',
  'args.a.contains(args.b)',
  'args.a.like(args.b)',
  "args.a.like('*a*a*a*b*')",
  'args.list == args.b',
  'args.list.map(x, args.b) == args.list.map(x, args.c)',
  'args.list.filter(x, x == args.b).size() > 0',
  'args.list.exists_one(x, x == args.b)',
  'args.list.all(x, x.missing || x.lost || x.gone || true)',
  'args.list.exists(x, x.a.b.c.d)',
  'args.list.exists(x, has(x.a.b))',
  "args.list.all(x, now.getHours('Europe/Berlin') < 25)",
  'args.list.all(x, now.getHours(args.c) < 25)',
  'args.list.all(x, size(args.a) > 0)',
  'args.list.all(x, size(args.in) > 0)',
  'args.in.all(x, x in args.in)',
  "args.in.all(x, size(args.in) > 0 && 'a' in args.in)",
  'args.list.all(x, args.a.lowerAscii() == args.a.upperAscii())',
  'args.list + args.list + args.list + args.list == args.b',
  '(args.a + args.a + args.a + args.a).contains(args.b)',
  'duration(args.a) > duration("1s")',
  'args.list.all(x, timestamp(args.a) < now)',
  'args.list.all(x, double(args.a) > 0.0)',
  "args.list.all(x, session.hasRead(args.a) || session.count('*') >= 0)",
  'args.a.trim().size() > 3 && args.b == args.c',
  'args.list.all(x, type(args.b) == type(x))',
  'args.list.map(x, [x, args.b, args.c]).all(y, y == y)',
  '[args.list, args.b, args.c].all(x, x == args.list)',
  '{"a": args.list, "b": args.b} == {"a": args.b, "b": args.list}',
  "shell(args.a).commands.all(c, c.name == 'git')",
  'shell(args.a).commands.exists(c, c.words.exists(w, w == args.b)) || shell(args.b).hasSubstitution',
  "args.list.all(x, path(args.a).within('/etc'))",
  "path(args.a).within('/etc') || path(args.b).within('/etc')",
  `args.list.all(x, ${Array.from({ length: 100 }, (_, index) => `x != ${index}`).join(' && ')})`,
];

/** Arguments that consist of such values. */
export const largeArguments: fc.Arbitrary<JsonObject> = fc
  .record(
    Object.fromEntries(['a', 'b', 'c', 'list', 'in'].map((key) => [key, fc.constantFrom(...Object.keys(largeValues))])),
  )
  .map((kinds) => Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [key, largeValues[kind]?.() ?? null])));

/** Slow conditions, random conditions, and combinations of both. */
export const hostileConditions: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...slowConditions) },
  { weight: 2, arbitrary: conditionTexts },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...slowConditions), fc.constantFrom('&&', '||'), conditionTexts)
      .map(([one, operator, other]) => `(${one}) ${operator} (${other})`),
  },
);
