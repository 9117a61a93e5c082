import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Policy } from '../policy.ts';
import { PolicyError } from './policy-error.ts';
import { parsePolicyText } from './parse-policy-text.ts';
import { readPolicies } from './read-policies.ts';

function read(text: string): Policy {
  return new Policy(readPolicies([parsePolicyText(text, 'policies.yaml')]));
}

function problemsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof PolicyError);
    return error.message.split('\n');
  }
  return [];
}

const example = `- id: deploy-needs-green-tests
  match: mcp__ci__deploy
  deny: "!(session.lastOk('mcp__ci__run_tests').seq > session.last('mcp__files__write_file').seq)"
  reason: deploy only after the tests passed on the last edit
- id: sequence            # shorthand kinds for the common cases
  requires: { mcp__ci__deploy: [mcp__ci__build, mcp__ci__run_tests] }
- id: read-first
  readBeforeWrite: { read: [mcp__files__read], write: [mcp__files__write_file], path: path }
- id: big-spend
  match: mcp__bank__pay
  ask: args.amount > 100
- id: calm
  rateLimit: { match: "mcp__search__*", per: 1m, max: 30 }
- id: no-leak
  flow: { from: [private], to: [external] }
  mode: shadow
- id: purse
  budget: { match: mcp__bank__pay, cost: 500, each: args.amount, per: 1d, by: principal }
`;

describe('readPolicies', () => {
  test('reads the policy of the documentation, with the line of each rule', () => {
    const { rules } = read(example);
    assert.deepEqual(
      rules.map(({ id, at }) => `${id} ${at}`),
      [
        'deploy-needs-green-tests policies.yaml:1',
        'sequence policies.yaml:5',
        'read-first policies.yaml:7',
        'big-spend policies.yaml:9',
        'calm policies.yaml:12',
        'no-leak policies.yaml:14',
        'purse policies.yaml:17',
      ],
    );
  });

  test('reports all problems at once, with line, column and the closest valid key', () => {
    const problems = problemsOf(`- id: a
  mach: x
  deny: true
- id: a
  deny: args.amount > forty
- rateLimit: { match: x, per: soon, max: -1 }
- id: c
  budget: { calls: 1, by: principal }
- id: d
  flow: { from: [private] }
- id: e
- id: f
  deny: true
  ask: true
- id: g
  mode: shadowed
  deny: "tool.name.matches('a')"
- 7
`);
    assert.deepEqual(problems, [
      'policies.yaml:2:3  [0].mach: unknown key; did you mean "match"?',
      'policies.yaml:4:3  [1].id: "a" is already the id of the rule at policies.yaml:1',
      'policies.yaml:5:23  [1].deny: Unknown variable: forty; expected one of call, args, tool, principal, session, now',
      'policies.yaml:6:3  [2]: "id" is missing',
      'policies.yaml:6:26  [2].rateLimit.per: expected a number with a unit: 500ms, 90s, 15m, 1h, 7d',
      'policies.yaml:6:37  [2].rateLimit.max: expected a whole number',
      'policies.yaml:8:3  [3].budget: "per" is missing: calls of a principal are counted in a time window',
      'policies.yaml:10:3  [4].flow: "to" is missing',
      'policies.yaml:11:3  [5]: has no answer: expected one of deny, ask, allow, requires, readBeforeWrite, rateLimit, flow, budget',
      'policies.yaml:14:3  [6].ask: cannot be combined with "deny"; make two rules',
      'policies.yaml:16:3  [7].mode: expected "enforce" or "shadow"; did you mean "shadow"?',
      "policies.yaml:17:10  [7].deny: regular expressions are not supported, because some take exponential time; use like('*.txt'), where * matches any characters",
      'policies.yaml:18:3  [8]: expected a rule: an object with "id" and an answer',
    ]);
  });

  test('rejects text that is not YAML or not a list, with its location', () => {
    assert.match(problemsOf('- id: [')[0] ?? '', /^policies\.yaml:1:\d+ /);
    const indented = problemsOf('- id: a\n  match: b\n   deny: true\n- id: c\n');
    assert.equal(indented.length, 1, indented.join('\n'));
    assert.match(indented[0] ?? '', /^policies\.yaml:[23]:\d+ +invalid YAML: /);
    assert.deepEqual(problemsOf('id: x'), ['policies.yaml:1:1  expected a list of rules']);
    const bomb = `- &a [x, x]\n- &b [${'*a, '.repeat(50)}]\n- &c [${'*b, '.repeat(50)}]\n- [${'*c, '.repeat(50)}]`;
    assert.match(problemsOf(bomb)[0] ?? '', /alias/i);
  });

  test('reads an empty text as no rules', () => assert.deepEqual(read('# nothing yet\n').rules, []));

  test('computes a version that changes with the content, not with the formatting', () => {
    const { version } = read('- id: a\n  match: x\n  deny: true\n');
    assert.equal(read('# note\n- { "deny": true, "match": "x", id: a }').version, version);
    assert.notEqual(read('- id: a\n  match: y\n  deny: true\n').version, version);
    assert.match(version, /^[0-9a-f]{16}$/);
  });

  test('rejects ids that Signalbox reserves', () => {
    assert.match(problemsOf('- { id: "default:read", deny: true }')[0] ?? '', /are reserved/);
  });
});
