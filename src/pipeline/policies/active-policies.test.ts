import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import {
  type AnyTool,
  type Effect,
  PolicyError,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';

const secret = 'AKIA7Q2M9X4TZ81V';
let payments = 0;

function tool(name: string, effect: Effect, run: (args: unknown) => Promise<string>, labels: string[] = []): AnyTool {
  return defineTool({ name, description: name, input: { type: 'object' }, effect, labels, run });
}

const tools = [
  tool('test', 'irreversible', async (args) => {
    if (JSON.stringify(args).includes('fail')) throw new Error('red');
    return 'green';
  }),
  tool('write', 'undoable', async () => 'written'),
  tool('deploy', 'irreversible', async () => 'deployed'),
  tool('pay', 'irreversible', async () => {
    payments += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 'paid';
  }),
  // The secret is after the part of an output that the journal records.
  tool('diary', 'read', async () => `${'dear diary '.repeat(200)} ${secret}`, ['private']),
  tool('send', 'irreversible', async () => 'sent', ['external']),
];

async function withBox(options: SignalboxOptions, use: (box: Signalbox) => Promise<void>): Promise<void> {
  const box = await createSignalbox({ servers: [localServer({ name: 'x', tools })], ...options });
  try {
    await use(box);
  } finally {
    await box.close();
  }
}

const session = { session: 's1' };
const greenTests = `
- { id: yes, match: "mcp__x__*", allow: true }
- id: green
  match: mcp__x__deploy
  deny: "!(session.lastOk('mcp__x__test').seq > session.last('mcp__x__write').seq)"
  reason: deploy only after the tests passed on the last edit
`;
const policies = [{ file: 'policies.yaml', text: greenTests }];

describe('active policies', () => {
  test('deny a tool with an unknown effect, with and without rules', async () => {
    const odd = { ...testTool('odd'), effect: 'ireversible' as Effect, run: () => 'RAN' };
    for (const rules of [[], [{ file: 'p.yaml', text: '- { id: other, match: mcp__x__pay, deny: true }' }]])
      await withBox(
        { servers: [testSource('y', [odd])], policies: rules, approve: () => ({ allow: true }) },
        async (box) => {
          const { outcome, content } = await box.call('mcp__y__odd', {});
          assert.equal(outcome, 'denied', JSON.stringify(content));
        },
      );
  });

  test('read the recorded arguments of past calls, even if the handler modified them or a secret was redacted', async () => {
    const forget = tool('forget', 'read', async (args) => {
      Object.assign(args as object, { path: '/nothing' });
      return 'done';
    });
    const rule = `- { id: known, match: mcp__y__send, deny: "session.last('mcp__y__forget').args.path != args.path" }`;
    const server = localServer({ name: 'y', tools: [forget, tool('send', 'read', async () => 'sent')] });
    const options = { servers: [server], policies: [{ file: 'policies.yaml', text: rule }] };
    await withBox(options, async (box) => {
      const ask = async (path: string): Promise<string> => (await box.call('mcp__y__send', { path }, session)).outcome;
      await box.call('mcp__y__forget', { path: '/a' }, session);
      assert.deepEqual([await ask('/a'), await ask('/nothing')], ['completed', 'denied']);
      box.secrets.add('KEY', 'hunter2-hunter2');
      await box.call('mcp__y__forget', { path: '/hunter2-hunter2' }, session);
      assert.deepEqual([await ask('/[redacted:KEY]'), await ask('/hunter2-hunter2')], ['completed', 'denied']);
    });
  });

  test('deny a deploy until the tests have passed, with the same decision in the result and in the journal', () =>
    withBox({ policies }, async (box) => {
      const deploy = async (): Promise<string> => (await box.call('mcp__x__deploy', {}, session)).outcome;
      await box.call('mcp__x__write', {}, session);
      await box.call('mcp__x__test', { fail: true }, session);
      const refused = await box.call('mcp__x__deploy', {}, session);
      assert.equal(refused.outcome, 'denied');
      assert.deepEqual(refused.decision, {
        answer: 'deny',
        rule: 'green',
        reason: 'deploy only after the tests passed on the last edit',
        at: 'policies.yaml:3',
        values: { "session.lastOk('mcp__x__test').seq": 0, "session.last('mcp__x__write').seq": 2 },
        policy: box.policies.list().version,
      });
      const recorded = await box.journal.call(refused.callId);
      assert.deepEqual(recorded?.decision, refused.decision);
      await box.call('mcp__x__test', {}, session);
      assert.equal(await deploy(), 'completed');
      assert.equal((await box.call('mcp__x__deploy', {}, { session: 's2' })).outcome, 'denied');
      await box.call('mcp__x__write', {}, session);
      assert.equal(await deploy(), 'denied');
    }));

  test('do not count an outcome that was returned again for an idempotency key as a run', () =>
    withBox({ policies }, async (box) => {
      const once = { ...session, idempotencyKey: 'k' };
      await box.call('mcp__x__test', {}, once);
      await box.call('mcp__x__write', {}, session);
      assert.equal((await box.call('mcp__x__test', {}, once)).outcome, 'completed');
      assert.equal((await box.call('mcp__x__deploy', {}, session)).outcome, 'denied');
    }));

  test('admit exactly as many concurrent calls as a limit allows', () =>
    withBox(
      {
        policies: [
          { id: 'calm', rateLimit: { match: 'mcp__x__pay', per: '1h', max: 5, by: 'principal' } },
          { id: 'purse', budget: { match: 'mcp__x__pay', cost: 30, each: 'args.amount', by: 'session' } },
          { id: 'yes', match: 'mcp__x__*', allow: true },
        ],
      },
      async (box) => {
        payments = 0;
        const all = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            box.call('mcp__x__pay', { amount: 10 }, { session: `s${index % 4}` }),
          ),
        );
        assert.equal(all.filter(({ outcome }) => outcome === 'completed').length, 5);
        assert.equal(payments, 5);
        const other = { session: 'rich', principal: { id: 'other', kind: 'agent' as const } };
        const spent = await Promise.all(
          Array.from({ length: 5 }, () => box.call('mcp__x__pay', { amount: 10 }, other)),
        );
        assert.deepEqual(spent.map(({ decision }) => decision?.rule ?? '').toSorted(), [
          'purse',
          'purse',
          'yes',
          'yes',
          'yes',
        ]);
      },
    ));

  test('read the history from the journal after a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-policies-'));
    const strict = [...policies, { id: 'calm', rateLimit: { match: 'mcp__x__pay', per: '1h', max: 2, by: 'session' } }];
    try {
      await withBox({ policies: strict, data }, async (box) => {
        await box.call('mcp__x__test', {}, session);
        await box.call('mcp__x__pay', {}, session);
        await box.call('mcp__x__pay');
      });
      await withBox({ policies: strict, data }, async (box) => {
        const pays = await Promise.all(Array.from({ length: 3 }, () => box.call('mcp__x__pay', {}, session)));
        assert.deepEqual(pays.map(({ outcome }) => outcome).toSorted(), ['completed', 'denied', 'denied']);
        assert.equal((await box.call('mcp__x__deploy', {}, session)).outcome, 'completed');
        const alone = await Promise.all(Array.from({ length: 3 }, () => box.call('mcp__x__pay')));
        assert.deepEqual(alone.map(({ outcome }) => outcome).toSorted(), ['completed', 'denied', 'denied']);
      });
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  test('count the earlier calls of a caller without a session, however many calls others made since', async () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-policies-'));
    const once = [
      { id: 'yes', match: 'mcp__x__*', allow: true },
      { id: 'calm', rateLimit: { match: 'mcp__x__pay', per: '24h', max: 1, by: 'session' } },
    ];
    const [quiet, busy] = ['quiet', 'busy'].map((id) => ({ principal: { id, kind: 'agent' as const } }));
    try {
      await withBox({ policies: once, data }, async (box) => {
        assert.equal((await box.call('mcp__x__pay', {}, quiet)).outcome, 'completed');
        for (let call = 0; call < 20_100; call += 100)
          await Promise.all(Array.from({ length: 100 }, () => box.call('mcp__x__test', {}, busy)));
      });
      await withBox({ policies: once, data }, async (box) => {
        assert.equal((await box.call('mcp__x__pay', {}, quiet)).outcome, 'denied');
      });
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  test('decide a call again after its approval, and count it once', async () => {
    const ended: string[] = [];
    const rules = [
      { id: 'once', rateLimit: { match: 'mcp__x__pay', per: '1h', max: 1 } },
      { id: 'ask', match: 'mcp__x__pay', ask: true },
    ];
    const code = {
      name: 'observer',
      check: () => undefined,
      onResult: (_: unknown, { outcome }: { outcome: string }) => void ended.push(outcome),
    };
    await withBox({ policies: [...rules, code], approve: () => ({ allow: true }) }, async (box) => {
      assert.equal((await box.call('mcp__x__pay', {}, session)).outcome, 'completed');
      assert.deepEqual(ended, ['completed']);
      assert.equal((await box.call('mcp__x__pay', {}, session)).decision?.rule, 'once');
    });
  });

  test('can be replaced while the box runs; an invalid replacement leaves them unchanged', () =>
    withBox({ policies }, async (box) => {
      const { version } = box.policies.list();
      await box.call('mcp__x__pay', {}, session);
      await assert.rejects(box.policies.set([{ id: 'a', deny: 'nonsense(' }]), PolicyError);
      assert.equal(box.policies.list().version, version);
      await box.policies.set([
        { id: 'once', rateLimit: { match: 'mcp__x__pay', per: '1h', max: 1 } },
        { id: 'yes', match: '*', allow: true },
      ]);
      assert.notEqual(box.policies.list().version, version);
      assert.equal((await box.call('mcp__x__pay', {}, session)).decision?.rule, 'once');
      await box.policies.set([]);
      assert.equal((await box.call('mcp__x__pay', {}, session)).decision?.rule, 'default:irreversible');
    }));

  test('block private values, plain or encoded, in any session of the same principal', () =>
    withBox(
      {
        policies: [
          { id: 'leak', flow: { from: ['private'], to: ['external'], when: 'value' } },
          { id: 'yes', allow: true },
        ],
      },
      async (box) => {
        const send = async (text: string, sessionId: string, id = 'local'): Promise<string | undefined> => {
          const principal = { id, kind: 'agent' as const };
          return (await box.call('mcp__x__send', { text }, { session: sessionId, principal })).decision?.rule;
        };
        assert.equal(await send(secret, 's1'), 'yes');
        await box.call('mcp__x__diary', {}, session);
        assert.equal(await send(`my key: ${secret}`, 's1'), 'leak');
        assert.equal(await send(Buffer.from(secret).toString('base64'), 's2'), 'leak');
        assert.equal(await send('good morning', 's1'), 'yes');
        assert.equal(await send(secret, 's1', 'somebody'), 'yes');
      },
    ));

  test('redact secrets in the values of a decision', () =>
    withBox(
      {
        secrets: { KEY: 'hunter2hunter2' },
        policies: [{ id: 'a', match: 'mcp__x__pay', deny: "args.note != '' && args['password'] != ''" }],
      },
      async (box) => {
        const { decision, callId } = await box.call('mcp__x__pay', { note: 'use hunter2hunter2', password: 'tiny' });
        const text = JSON.stringify([decision, await box.journal.call(callId)]);
        assert.ok(decision?.values !== undefined && !/hunter2|tiny/.test(text), text);
      },
    ));
});

describe('policy in code', () => {
  const bare = { policies: [] };
  test('can deny and allow asynchronously, and observes the results of admitted calls', async () => {
    const results: string[] = [];
    const code = {
      name: 'hours',
      check: async (call: { tool: { name: string } }) =>
        call.tool.name === 'mcp__x__pay'
          ? { answer: 'deny' as const, reason: 'closed' }
          : { answer: 'allow' as const, reason: 'open' },
      onResult: (call: { tool: { name: string } }, { outcome }: { outcome: string }) =>
        void results.push(`${call.tool.name} ${outcome}`),
    };
    await withBox({ ...bare, policies: [code] }, async (box) => {
      const { outcome, decision } = await box.call('mcp__x__pay');
      assert.deepEqual([outcome, decision?.rule, decision?.reason], ['denied', 'code:hours', 'closed']);
      assert.equal((await box.call('mcp__x__deploy')).outcome, 'completed');
      assert.deepEqual(results, ['mcp__x__deploy completed']);
    });
  });

  test('denies when it throws, rejects or returns an invalid answer', () =>
    withBox(bare, async (box) => {
      const failing: readonly (() => unknown)[] = [
        () => {
          throw new Error('broken');
        },
        () => Promise.reject(new Error('broken')),
        () => ({ answer: 'yes' }),
        () => true,
      ];
      for (const check of failing) {
        await box.policies.set([
          { name: 'bad', check: check as () => undefined },
          { id: 'yes', allow: true },
        ]);
        assert.equal((await box.call('mcp__x__test')).outcome, 'denied');
      }
    }));

  test('that never answers is ended by the deadline or the signal of the call', () =>
    withBox({ policies: [{ name: 'slow', check: () => new Promise<undefined>(() => undefined) }] }, async (box) => {
      assert.equal((await box.call('mcp__x__test', {}, { deadline: Date.now() + 20 })).outcome, 'timed-out');
      const controller = new AbortController();
      const call = box.call('mcp__x__test', {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), 10);
      assert.equal((await call).outcome, 'cancelled');
    }));

  test('cannot allow what a rule denies', () =>
    withBox(
      {
        policies: [
          { name: 'permissive', check: () => ({ answer: 'allow', reason: '' }) },
          { id: 'no', deny: true },
        ],
      },
      async (box) => assert.equal((await box.call('mcp__x__test')).decision?.rule, 'no'),
    ));
});

test('permission modes apply to calls: plan allows only reads, and bypassPermissions never overrides a deny', () =>
  withBox({ policies: [{ id: 'no', match: 'mcp__x__pay', deny: true }] }, async (box) => {
    const outcome = async (name: string, permissionMode: 'plan' | 'bypassPermissions' | 'acceptEdits' | 'dontAsk') =>
      (await box.call(`mcp__x__${name}`, {}, { permissionMode })).outcome;
    assert.equal(await outcome('diary', 'plan'), 'completed');
    assert.equal(await outcome('write', 'plan'), 'denied');
    assert.equal(await outcome('write', 'acceptEdits'), 'completed');
    assert.equal(await outcome('deploy', 'dontAsk'), 'denied');
    assert.equal(await outcome('deploy', 'bypassPermissions'), 'completed');
    assert.equal(await outcome('pay', 'bypassPermissions'), 'denied');
  }));

describe('cost that a tool reports', () => {
  const priced = defineTool({
    name: 'ask',
    description: 'ask',
    input: { type: 'object', properties: { cost: {} } } as const,
    effect: 'read',
    run: ({ cost }) => ({
      content: [{ type: 'text', text: 'answer' }],
      isError: cost === 2,
      _meta: { 'signalbox/costUsd': cost ?? 1.5 },
    }),
  });
  const servers = [localServer({ name: 'x', tools: [priced], cacheMs: 60_000 })];

  test('is recorded and counts for budgets and session.cost, also after a restart, but not for cached results', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-costs-'));
    t.after(() => rmSync(data, { recursive: true }));
    const rules = [
      { id: 'spent', budget: { match: 'mcp__x__ask', cost: 3 } },
      { id: 'much', deny: 'session.cost >= 1.5', mode: 'shadow' },
    ];
    await withBox({ servers, data, policies: rules }, async (box) => {
      const first = await box.call('mcp__x__ask', { n: 1 }, session);
      assert.deepEqual([first.outcome, first.costUsd, first.decision?.shadow], ['completed', 1.5, undefined]);
      const recorded = await box.journal.call(first.callId);
      assert.equal(recorded?.type === 'ToolInvoked' && recorded.costUsd, 1.5);
      const again = await box.call('mcp__x__ask', { n: 1 }, session);
      assert.deepEqual([again.cached, again.costUsd, again.decision?.shadow?.length], [true, undefined, 1]);
    });
    await withBox({ servers, data, policies: rules }, async (box) => {
      const failed = await box.call('mcp__x__ask', { cost: 2 }, session);
      assert.deepEqual([failed.outcome, failed.costUsd], ['failed', 2], 'a failed call has a cost too');
      const over = await box.call('mcp__x__ask', { n: 2 }, session);
      assert.deepEqual([over.decision?.rule, over.decision?.values], ['spent', { cost: 3.5, call: 0 }]);
    });
  });

  for (const cost of [-1, 'free', true])
    test(`fails the call when it is ${JSON.stringify(cost)}`, () =>
      withBox({ servers }, async (box) => {
        const { outcome, error } = await box.call('mcp__x__ask', { cost });
        assert.deepEqual([outcome, error?.code], ['failed', 'result-invalid']);
        assert.match(error?.message ?? '', /_meta\["signalbox\/costUsd"\]/);
      }));
});

test('a backtest with the active rules finds no changes, whatever remembered approvals and permission modes decided', () =>
  withBox({ approve: () => ({ allow: true, by: { id: 'ann', kind: 'human' } }) }, async (box) => {
    const rules = [{ id: 'careful', match: 'mcp__x__deploy', ask: true }];
    await box.policies.set(rules);
    await box.call('mcp__x__write', {}, session);
    const remembered = await box.call('mcp__x__write', {}, session);
    assert.match(remembered.decision?.rule ?? '', /^remembered:/);
    assert.deepEqual(
      [remembered.decision?.ruled?.answer, remembered.decision?.ruled?.rule],
      ['ask', 'default:undoable'],
    );
    await box.call('mcp__x__deploy', {}, session);
    for (const permissionMode of ['plan', 'bypassPermissions', 'dontAsk', 'acceptEdits'] as const)
      await box.call('mcp__x__deploy', {}, { ...session, permissionMode });
    const { calls, skipped, changed } = await box.policies.backtest(rules);
    assert.deepEqual([calls, skipped, changed], [7, 0, []]);
    const others = await box.policies.backtest([{ id: 'open', match: 'mcp__x__deploy', allow: true }]);
    assert.deepEqual(
      others.changed.map(({ before, after }) => [before.rule, before.answer, after.answer]),
      Array.from({ length: 5 }, () => ['careful', 'ask', 'allow']),
    );
  }));
