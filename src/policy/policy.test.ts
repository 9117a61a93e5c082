import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision } from '../core/calls/decision.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Effect, ToolDefinition } from '../core/tools/tool.ts';
import type { CallEvent } from './facts/call-event.ts';
import type { Facts } from './facts/facts.ts';
import { type DecisionFacts, Policy } from './policy.ts';
import { parsePolicyText } from './rules/parse-policy-text.ts';
import { readPolicies } from './rules/read-policies.ts';

const at = Date.parse('2026-11-15T12:00:00Z');

function toolNamed(name: string, effect: Effect = 'irreversible', labels: readonly string[] = []): ToolDefinition {
  const [, server = '', tool = ''] = name.split('__');
  const rest = { description: '', inputSchema: {}, annotations: {}, idempotent: false, definitionHash: '' };
  return { ...rest, id: { server, tool }, name, effect, labels };
}

/** Creates a policy with the history of one session. */
function policyWithHistory(text: string): {
  readonly session: Facts;
  readonly past: DecisionFacts;
  decide(tool: ToolDefinition | string, args?: JsonObject, size?: number): Decision;
  recordCall(tool: string, event?: Partial<CallEvent>): void;
} {
  const policy = new Policy(readPolicies([parsePolicyText(text, 'p.yaml')]));
  const past = { session: policy.sessionFacts(), principal: policy.principalFacts() };
  let seq = 0;
  return {
    session: past.session,
    past,
    decide: (tool, args = {}, size = 100) =>
      policy.decide(
        {
          id: 'call_1',
          at,
          tool: typeof tool === 'string' ? toolNamed(tool) : tool,
          arguments: args,
          size,
          principal: { id: 'local', kind: 'agent' },
          session: 's1',
        },
        past,
      ),
    recordCall: (tool, event = {}) => {
      seq += 1;
      const defaults = {
        seq,
        at,
        call: `c${seq}`,
        effect: 'read',
        labels: [],
        ok: true,
        arguments: {},
        output: '',
        cost: 0,
      };
      for (const facts of Object.values(past)) facts.observe({ ...defaults, tool, ...event } as CallEvent);
    },
  };
}

describe('decision of a policy', () => {
  test('contains the rule, its line, its reason and the values that it read', () => {
    const { decide } = policyWithHistory(`
- id: big-spend
  match: mcp__bank__pay
  ask: args.amount > 100 && session.last('mcp__bank__*').seq == 0
  reason: more than 100 needs a human
`);
    const { policy, version, ...rest } = decide('mcp__bank__pay', { amount: 120 });
    for (const each of [policy, version]) assert.match(each ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(rest, {
      answer: 'ask',
      rule: 'big-spend',
      reason: 'more than 100 needs a human',
      at: 'p.yaml:2',
      values: { 'args.amount': 120, "session.last('mcp__bank__*').seq": 0 },
    });
  });

  test('prefers deny over ask over allow, whatever the order of the rules', () => {
    const { decide } = policyWithHistory(`
- { id: a, match: "mcp__x__*", allow: true }
- { id: b, match: mcp__x__b, ask: true }
- { id: c, match: mcp__x__b, deny: args.stop }
`);
    assert.equal(decide('mcp__x__a').rule, 'a');
    assert.equal(decide('mcp__x__b', { stop: false }).rule, 'b');
    assert.equal(decide('mcp__x__b', { stop: true }).rule, 'c');
  });

  test('lists every rule that asks when several do and none denies', () => {
    const { decide } = policyWithHistory(`
- { id: a, match: "mcp__x__*", allow: true }
- { id: b, match: mcp__x__b, ask: true, reason: one }
- { id: c, match: mcp__x__b, ask: args.big, reason: two }
- { id: d, match: mcp__x__b, deny: args.stop }
`);
    const asksOf = (args: JsonObject): unknown =>
      decide('mcp__x__b', args).asks?.map((each) => [each.rule, each.reason, each.at]);
    assert.deepEqual(asksOf({ big: true, stop: false }), [
      ['b', 'one', 'p.yaml:3'],
      ['c', 'two', 'p.yaml:4'],
    ]);
    assert.equal(asksOf({ big: false, stop: false }), undefined);
    assert.equal(asksOf({ big: true, stop: true }), undefined);
  });

  test('follows the effect of the tool when no rule matches: reads run, all others ask', () => {
    const { decide } = policyWithHistory('- { id: a, match: other, deny: true }');
    assert.equal(decide(toolNamed('mcp__x__a', 'read')).answer, 'allow');
    for (const effect of ['undoable', 'compensable', 'irreversible'] as const)
      assert.equal(decide(toolNamed('mcp__x__a', effect)).answer, 'ask');
  });

  test('is deny with the error when a rule cannot be evaluated, even an allow rule', () => {
    const { decide } = policyWithHistory(`
- { id: a, match: mcp__x__a, allow: args.amount < 5 }
- { id: b, match: mcp__x__b, allow: args.amount }
- { id: c, match: mcp__x__c, allow: "args.items.all(item, item > 0)" }
`);
    const answerOf = (tool: string, args: JsonObject, size?: number): string => {
      const { answer, reason } = decide(tool, args, size);
      return `${answer}: ${reason}`;
    };
    assert.equal(answerOf('mcp__x__a', {}), 'deny: the rule cannot be evaluated: No such key: amount');
    assert.match(answerOf('mcp__x__a', { amount: 'x' }), /^deny: the rule cannot be evaluated: no such overload/);
    assert.match(answerOf('mcp__x__a', { constructor: 'x', amount: { a: 1 } }), /^deny: /);
    assert.equal(
      answerOf('mcp__x__b', { amount: 1 }),
      'deny: the rule cannot be evaluated: it evaluates to a number, not true or false',
    );
    assert.match(answerOf('mcp__x__c', { items: [1] }), /^allow/);
    assert.match(
      answerOf('mcp__x__c', { items: Array.from({ length: 200_000 }, () => 1) }),
      /^deny: .*too much processor time/,
    );
  });

  test('evaluates expressions that mix integers and fractions', () => {
    const { decide, recordCall } = policyWithHistory(`
- { id: a, match: mcp__x__a, allow: "session.count('*') + (session.count('*') + args.amount) == 3.5" }
`);
    recordCall('mcp__x__a');
    assert.equal(decide('mcp__x__a', { amount: 1.5 }).rule, 'a');
    assert.equal(decide('mcp__x__a', { amount: 1 }).rule, 'default:irreversible');
  });

  test('restores Error.stackTraceLimit after a failed evaluation', () => {
    const { decide } = policyWithHistory('- { id: a, allow: args.amount > 1 }');
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 7;
    assert.equal(decide('mcp__x__a').answer, 'deny');
    assert.equal(Error.stackTraceLimit, 7);
    Error.stackTraceLimit = before;
  });

  test('reports the answers of rules in shadow mode without applying them', () => {
    const { decide } = policyWithHistory(`
- { id: a, match: mcp__x__a, deny: true, mode: shadow, reason: one day }
- { id: b, match: mcp__x__a, deny: args.missing, mode: shadow }
- { id: c, match: mcp__x__a, allow: true }
`);
    const { answer, rule, shadow } = decide('mcp__x__a');
    assert.deepEqual([answer, rule], ['allow', 'c']);
    assert.deepEqual(shadow, [
      { answer: 'deny', rule: 'a', reason: 'one day' },
      { answer: 'deny', rule: 'b', reason: 'the rule cannot be evaluated: No such key: missing' },
    ]);
  });

  test('shortens long values', () => {
    const { decide } = policyWithHistory('- { id: a, deny: "args.text.size() > 1 && args.list.size() > 1" }');
    const { values = {} } = decide('mcp__x__a', {
      text: 'x'.repeat(5000),
      list: Array.from({ length: 500 }, () => 'y'),
    });
    assert.ok(JSON.stringify(values).length < 600, JSON.stringify(values));
  });
});

describe('rules about history', () => {
  test('deny a deploy until the tests have passed after the last edit', () => {
    const { decide, recordCall } = policyWithHistory(`
- id: green
  match: mcp__ci__deploy
  deny: "!(session.lastOk('mcp__ci__test').seq > session.last('mcp__files__write').seq)"
- { id: yes, match: mcp__ci__deploy, allow: true }
`);
    const answers = [decide('mcp__ci__deploy').answer];
    recordCall('mcp__files__write');
    recordCall('mcp__ci__test', { ok: false });
    answers.push(decide('mcp__ci__deploy').answer);
    recordCall('mcp__ci__test');
    answers.push(decide('mcp__ci__deploy').answer);
    recordCall('mcp__files__write');
    answers.push(decide('mcp__ci__deploy').answer);
    assert.deepEqual(answers, ['deny', 'deny', 'allow', 'deny']);
  });

  test('treat a running write as later than every test that has passed', () => {
    const { decide, recordCall, session } = policyWithHistory(`
- id: green
  match: mcp__ci__deploy
  deny: "!(session.lastOk('mcp__ci__test').seq > session.last('mcp__files__write').seq)"
- { id: yes, match: mcp__ci__deploy, allow: true }
`);
    recordCall('mcp__ci__test');
    assert.equal(decide('mcp__ci__deploy').answer, 'allow');
    session.begin({ id: 'c9', tool: 'mcp__files__write', at, arguments: {} });
    assert.equal(decide('mcp__ci__deploy').answer, 'deny');
  });

  test('stop the call that would exceed a budget, and deny invalid amounts', () => {
    const { decide, recordCall } = policyWithHistory(`
- { id: purse, budget: { match: mcp__bank__pay, cost: 500, each: args.amount } }
- { id: yes, match: mcp__bank__pay, allow: true }
`);
    recordCall('mcp__bank__pay', { arguments: { amount: 450 } });
    assert.equal(decide('mcp__bank__pay', { amount: 50 }).answer, 'allow');
    const { answer, values, reason } = decide('mcp__bank__pay', { amount: 51 });
    assert.deepEqual([answer, values], ['deny', { cost: 450, call: 51 }]);
    assert.equal(reason, 'cost limit of 500 in this session reached');
    for (const amount of [-100, '1', null, [1]]) assert.equal(decide('mcp__bank__pay', { amount }).answer, 'deny');
  });

  test('never undercount a window with more than ten thousand calls', () => {
    const { decide, recordCall } = policyWithHistory(`
- { id: calm, rateLimit: { match: "*", per: 1h, max: 30000 } }
- { id: yes, allow: true }
`);
    for (let index = 0; index < 30_000; index += 1) recordCall('mcp__x__a', { at: at - 3_600_000 + 1 + index });
    assert.equal(decide('mcp__x__a').answer, 'deny');
  });
});

test('the cost of a call is evaluated once for session and principal, also when the call begins', () => {
  const reads = (by: string): number => {
    const policy = new Policy(
      readPolicies([
        parsePolicyText(`- { id: purse, budget: { match: "*", cost: 100, each: args.amount${by} } }`, 'p.yaml'),
      ]),
    );
    const past = { session: policy.sessionFacts(), principal: policy.principalFacts() };
    let count = 0;
    const args = {
      get amount() {
        count += 1;
        return 5;
      },
    };
    const principal = { id: 'local', kind: 'agent' } as const;
    const tool = toolNamed('mcp__bank__pay');
    const decided = { id: 'c', at, tool, arguments: args, size: 100, principal, session: 's' };
    policy.decide(decided, past);
    const atDecision = count;
    for (const facts of Object.values(past)) facts.begin({ id: 'c', tool: tool.name, at, arguments: args, decided });
    assert.equal(count, atDecision);
    assert.ok(count > 0);
    return count;
  };
  assert.equal(reads(''), reads(', by: session'));
});

describe('flow rules', () => {
  const text = `
- { id: leak, flow: { from: [private], to: [external], when: value } }
- { id: yes, allow: true }
`;
  const secret = 'AKIA7Q2M9X4TZ81V';
  const prose = 'The merger with Northwind will be announced on the second Tuesday of March, not before.';
  const out = toolNamed('mcp__mail__send', 'irreversible', ['external']);

  const recognized = {
    verbatim: secret,
    'in another case': secret.toLowerCase(),
    'inside other text': `please use "${secret}", thanks`,
    'in base64': Buffer.from(`key=${secret}`).toString('base64'),
    'in base64 after other characters': `data${Buffer.from(`my key is ${secret}`).toString('base64')}`,
    'in hex': Buffer.from(secret).toString('hex'),
    'percent-encoded': encodeURIComponent(`%${prose}`).replaceAll('a', '%61'),
    'in base64 twice': Buffer.from(Buffer.from(prose).toString('base64')).toString('base64'),
    'in part': 'Northwind will be announced on the second',
    'with different white space': prose.replaceAll(' ', '\n  '),
  };
  for (const [form, value] of Object.entries(recognized)) {
    test(`recognize a private value in arguments: ${form}`, () => {
      const { decide, recordCall } = policyWithHistory(text);
      recordCall('mcp__notes__get', { labels: ['private'], output: `key: ${secret}\n${prose}` });
      assert.equal(decide(out, { body: { lines: ['hello', value] } }).rule, 'leak');
    });
  }

  test('allow unrelated text', () => {
    const { decide, recordCall } = policyWithHistory(text);
    recordCall('mcp__notes__get', { labels: ['private'], output: `key: ${secret}\n${prose} 2026-11-15` });
    recordCall('mcp__wiki__get', { output: 'public-page-42 says hello to everybody out there' });
    for (const body of ['hello world', 'The merger', '2026-11-15', 'public-page-42 says hello to everybody out there'])
      assert.equal(decide(out, { body }).rule, 'yes', body);
  });

  test('stop every external call of a session that has read private data', () => {
    const { decide, recordCall } = policyWithHistory(
      '- { id: leak, flow: { from: [private], to: [external] }, ask: true }\n- { id: yes, allow: true }',
    );
    assert.equal(decide(out, { body: 'hello' }).rule, 'yes');
    recordCall('mcp__notes__get', { labels: ['private'] });
    assert.deepEqual([decide(out, { body: 'hello' }).rule, decide(out).answer], ['leak', 'ask']);
    assert.equal(decide('mcp__files__read').rule, 'yes');
  });

  test('treat arguments that are too long to be searched as a match once a private value exists', () => {
    const { decide, recordCall } = policyWithHistory(text);
    const body = 'x '.repeat(100_000);
    assert.equal(decide(out, { body }).rule, 'yes');
    recordCall('mcp__notes__get', { labels: ['private'], output: secret });
    assert.equal(decide(out, { body }).rule, 'leak');
  });
});
