import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ConditionCompiler } from './condition.ts';
import { Facts } from '../facts/facts.ts';
import { WindowMeters } from './condition-language.ts';
import { ConditionInput, ToolView } from './condition-input.ts';
import * as vocabulary from './vocabulary.ts';

const { variables, sessionMethods, functions, methods, macros, operators } = vocabulary;
const at = Date.parse('2026-11-15T12:34:56Z');

function inputFor(meters: WindowMeters): ConditionInput {
  const facts = new Facts({ meters: meters.all(), tracks: [], trackedLabels: [] });
  facts.observe({
    seq: 7,
    at: at - 1000,
    call: 'call_1',
    tool: 'mcp__files__read',
    effect: 'read',
    labels: ['private'],
    ok: true,
    arguments: { path: '/a.txt' },
    output: '',
    cost: 0.5,
  });
  const tool = new ToolView({
    id: { server: 'bank', tool: 'pay' },
    name: 'mcp__bank__pay',
    description: '',
    inputSchema: {},
    annotations: {},
    effect: 'irreversible',
    idempotent: false,
    labels: [],
    definitionHash: '',
  });
  const args = {
    amount: 120,
    currency: 'EUR',
    path: '/b.txt',
    command: 'git status',
    items: [{ price: 1 }, { price: 2 }],
    nothing: null,
  };
  const call = { id: 'call_2', at, arguments: args, size: 100, session: 's1' };
  return new ConditionInput({ ...call, principal: { id: 'local', kind: 'agent' } }, tool, facts);
}

describe('vocabulary of conditions', () => {
  for (const [part, words] of Object.entries({ variables, sessionMethods, functions, methods, macros, operators })) {
    for (const { name, example } of words) {
      test(`${part}: ${name}`, () => {
        const meters = new WindowMeters();
        const { value, problems } = new ConditionCompiler(meters).condition(example);
        assert.equal(problems, undefined);
        assert.equal(value.holds(inputFor(meters)), true, example);
      });
    }
  }

  test('is documented in the reference', () => {
    const page = readFileSync(new URL('../../../docs/reference/policy.md', import.meta.url), 'utf8');
    const words = [...variables, ...sessionMethods, ...functions, ...methods, ...macros].map(({ name }) => name);
    assert.deepEqual(
      words.filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(page)),
      [],
    );
  });
});

describe('rejected condition', () => {
  const cases: readonly (readonly [string, RegExp, number])[] = [
    ['args.amount >', /^unexpected end, expected a value/, 13],
    ['args.amount > )', /^unexpected "\)", expected a value/, 14],
    ['(args.amount > 1', /^expected "\)", found the end/, 16],
    ['args.amount = 1', /Unexpected character: =; did you mean "=="\?/, 12],
    ['amount > 1', /Unknown variable: amount/, 0],
    ['arg.amount > 1', /Unknown variable: arg; did you mean "args"/, 0],
    ["tool.nme == 'x'", /No such key: nme; did you mean "name"/, 5],
    ["session.lastOK('x').seq > 1", /no method "lastOK"; did you mean "lastOk"/, 0],
    ['true && foo(1) == 2', /no function "foo"/, 8],
    ["args.path.matches('(a+)+$')", /regular expressions are not supported.*like/, 0],
    ["b'abc' == b'abd'", /bytes and unsigned/, 0],
    ['cel.bind(x, 1, x == 1)', /cel cannot be used/, 0],
    ['args.a.all(x, args.b.all(y, x == z))', /Unknown variable: z/, 33],
    ['session.count(args.name) > 1', /must be string literals/, 14],
    ["session.count('x', 'soon') > 1", /expected a number with a unit/, 19],
    ['1 + 1', /it evaluates to int, expected true or false/, 0],
    ["session.cost > 'a'", /no such overload: double > string/, 0],
    ['size(args, 1) > 1', /no matching overload/, 0],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, /depth|nest|Exceeded/i, -1],
    [`args.a == ${'1 + '.repeat(2000)}1`, /more than 4000 characters/, 0],
    [`[${'1,'.repeat(1500)}1].size() > 1`, /Exceeded/, -1],
  ];
  for (const [text, expected, offset] of cases) {
    test(text.length > 60 ? `${text.slice(0, 20)}… (${text.length} characters)` : text, () => {
      const { problems = [] } = new ConditionCompiler(new WindowMeters()).condition(text);
      const [first] = problems;
      assert.match(`${first?.message}; ${first?.hint}`, expected);
      if (offset >= 0) assert.equal(first?.offset, offset);
    });
  }
});
