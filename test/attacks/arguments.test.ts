import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { tool as aiSdkTool } from 'ai';
import * as z from 'zod';
import {
  type AnyTool,
  type ApprovalRequest,
  type PolicySource,
  type Signalbox,
  type SignalboxOptions,
  type Source,
  type ToolInvoked,
  createSignalbox,
  defineTool,
  localServer,
  postgresStore,
  sqliteStore,
} from '../../src/index.ts';
import { approvalIdOf } from '../support/approval-id.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const cluster = await startPostgres();
after(() => cluster.end());

/** Creates a box and closes it after the test. */
async function createBox(t: TestContext, options: SignalboxOptions): Promise<Signalbox> {
  const box = await createSignalbox(options);
  t.after(() => box.close());
  return box;
}

async function journalEntry(box: Signalbox, call: string): Promise<ToolInvoked> {
  const entry = await box.journal.call(call);
  assert.ok(entry?.type === 'ToolInvoked');
  return entry;
}

const rules = (text: string): PolicySource[] => [{ file: 'policies.yaml', text }];
const alice = { id: 'alice', kind: 'human' } as const;

describe('arguments seen by policy', () => {
  const received: unknown[] = [];
  let transforms = 0;
  const input = z.object({
    path: z.string().trim(),
    mode: z.string().default('delete'),
    amount: z.coerce.number().default(500),
    when: z
      .number()
      .transform((at) => new Date(at))
      .optional(),
    count: z
      .string()
      .transform((text) => {
        transforms += 1;
        return BigInt(text);
      })
      .optional(),
  });
  const run = (args: unknown): string => {
    received.push(args);
    return 'done';
  };
  const own = defineTool({ name: 'own', description: 'Acts.', effect: 'read', input, run });
  const foreign: Record<string, AnyTool> = {
    ai: aiSdkTool({ description: 'Acts.', inputSchema: input, execute: async (args) => run(args) }),
    claude: {
      name: 'claude',
      description: 'Acts.',
      inputSchema: input.shape,
      handler: async (args: unknown) => ({ content: [{ type: 'text', text: run(args) }] }),
    },
  };
  const isolated = defineTool({
    name: 'isolated',
    description: 'Acts.',
    effect: 'read',
    isolate: true,
    input,
    run: (args) => JSON.stringify({ path: args.path, mode: args.mode }),
  });
  const servers = (): Source[] => [
    localServer({ name: 'x', tools: [own, isolated] }),
    localServer({ name: 'y', tools: foreign }),
  ];
  const policies = rules(`
- { id: yes, match: "mcp__*", allow: true }
- { id: no-delete, match: "mcp__*", deny: "args.mode == 'delete'" }
- { id: no-etc, match: "mcp__*", deny: "args.path == '/etc'" }
- { id: no-fortune, match: "mcp__*", deny: "args.amount > 100" }
- { id: no-crowd, match: "mcp__*", deny: "has(args.count) && args.count > 9" }
- { id: not-then, match: "mcp__*", deny: "has(args.when) && args.when.startsWith('2030')" }
`);
  const names = ['mcp__x__own', 'mcp__x__isolated', 'mcp__y__ai', 'mcp__y__claude'];

  for (const name of names)
    test(`${name}: include defaults, trimming, coercion and transforms, which run once`, async (t) => {
      const box = await createBox(t, { servers: servers(), policies });
      const fine = { path: '/tmp', mode: 'list', amount: 1 };
      const ruleFor = async (args: object): Promise<string | undefined> => (await box.call(name, args)).decision?.rule;
      assert.equal(await ruleFor({ path: '/tmp', amount: 1 }), 'no-delete', 'a default');
      assert.equal(await ruleFor({ ...fine, path: ' /etc ' }), 'no-etc', 'trimmed');
      assert.equal(await ruleFor({ path: '/tmp', mode: 'list' }), 'no-fortune', 'a default amount');
      assert.equal(await ruleFor({ ...fine, amount: '1e3' }), 'no-fortune', 'coerced');
      assert.equal(await ruleFor({ ...fine, count: '10' }), 'no-crowd', 'a big integer');
      assert.equal(await ruleFor({ ...fine, when: 1_900_000_000_000 }), 'not-then', 'a date');
      received.length = 0;
      transforms = 0;
      const given = { ...fine, path: ' /tmp ', count: '3', extra: 'dropped' };
      const result = await box.call(name, given);
      assert.equal(result.outcome, 'completed', result.error?.message);
      assert.equal(transforms, 1);
      const recorded = await journalEntry(box, result.callId);
      assert.deepEqual(recorded.arguments, { ...fine, count: 3 });
      assert.deepEqual(recorded.givenArguments, given);
      if (name !== 'mcp__x__isolated') assert.deepEqual(received, [{ ...fine, count: 3n }]);
      const plain = await journalEntry(box, (await box.call(name, { amount: 1, mode: 'list', path: '/tmp' })).callId);
      assert.equal(plain.givenArguments, undefined, 'nothing was changed');
    });

  test('a value without a JSON form is rejected before policy decides', async (t) => {
    const hiding = z.object({ to: z.string().transform((to) => () => to) });
    const send = defineTool({ name: 'send', description: 'Sends.', effect: 'read', input: hiding, run });
    const box = await createBox(t, { servers: [localServer({ name: 'x', tools: [send] })] });
    const { error } = await box.call('mcp__x__send', { to: 'x' });
    assert.equal(error?.code, 'arguments-invalid');
    assert.match(error?.message ?? '', /policy and journal cannot show.*function.*\$\.to/);
  });

  test('a transform cannot show one value to policy and another to the handler', async (t) => {
    const shown = { to: 'bob' };
    const hidden = { to: 'attacker' };
    class Recipient {
      readonly to = 'bob';
    }
    const seen = { count: 0 };
    const disguises: Readonly<Record<string, () => unknown>> = {
      'an own toJSON': () => ({ ...hidden, toJSON: () => shown }),
      'a toJSON that is not enumerable': () => Object.defineProperty({ ...hidden }, 'toJSON', { value: () => shown }),
      'an own toJSON of a nested object': () => ({ list: [{ ...hidden, toJSON: () => shown }] }),
      'an own toJSON of an array': () => ({ list: Object.assign(['attacker'], { toJSON: () => ['bob'] }) }),
      'an own toJSON of an instance': () => Object.assign(new Date(0), { toJSON: () => 'bob' }),
      'a getter': () => ({
        get to() {
          return (seen.count += 1) > 1 ? 'attacker' : 'bob';
        },
      }),
      'a getter of an instance': () =>
        Object.defineProperty(new Recipient(), 'to', {
          enumerable: true,
          get: () => ((seen.count += 1) > 1 ? 'attacker' : 'bob'),
        }),
      'a proxy': () => new Proxy({ ...shown }, { get: () => ((seen.count += 1) > 1 ? 'attacker' : 'bob') }),
      'a proxy of an instance': () => new Proxy(new Recipient(), { get: () => 'attacker' }),
      'a date that reports another time': () =>
        Object.assign(new Date(0), { toISOString: () => 'bob', getTime: () => Number.NaN }),
      'a map with its own iterator': () =>
        Object.assign(new Map([['to', 'attacker']]), { [Symbol.iterator]: () => [['to', 'bob']].values() }),
    };
    for (const [name, make] of Object.entries(disguises)) {
      seen.count = 0;
      received.length = 0;
      const act = defineTool({
        name: 'act',
        description: 'Acts.',
        effect: 'irreversible',
        input: z.object({ x: z.string() }).transform(() => ({ made: make() })),
        run,
      });
      const box = await createBox(t, {
        servers: [localServer({ name: 'x', tools: [act] })],
        policies: rules('- { id: yes, match: "mcp__x__*", allow: true }'),
      });
      const { callId, outcome, error } = await box.call('mcp__x__act', { x: 'x' });
      if (outcome === 'failed') {
        assert.match(error?.message ?? '', /policy and journal cannot show: .*\(at \$\.made/, name);
        continue;
      }
      const recorded = (await journalEntry(box, callId)).arguments['made'];
      const [got] = received as [{ made: unknown }];
      const plain: unknown = got.made instanceof Map ? Object.fromEntries(got.made) : got.made;
      assert.deepEqual(JSON.parse(JSON.stringify(plain)), recorded, name);
      assert.equal(inspect(plain).includes('attacker'), JSON.stringify(recorded).includes('attacker'), name);
    }
  });

  test('dates, maps, sets, URLs, bytes and class instances reach the handler unchanged', async (t) => {
    class Money {
      readonly #cents: bigint;
      constructor(cents: bigint) {
        this.#cents = cents;
      }
      get euros(): number {
        return Number(this.#cents) / 100;
      }
      toJSON(): number {
        return this.euros;
      }
    }
    const made = {
      at: new Date('2030-01-02T03:04:05.000Z'),
      map: new Map<unknown, unknown>([['a', new Date(0)]]),
      set: new Set([1, 2]),
      address: new URL('https://example.com/a'),
      bytes: new Uint8Array([1, 2]),
      buffer: Buffer.from('ab'),
      pattern: /a+/gi,
      money: new Money(150n),
      absent: undefined,
    };
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'read',
      input: z.object({ at: z.iso.datetime() }).transform(({ at }) => ({ ...made, at: new Date(at) })),
      run,
    });
    received.length = 0;
    const box = await createBox(t, { servers: [localServer({ name: 'x', tools: [act] })] });
    const { callId, outcome } = await box.call('mcp__x__act', { at: made.at.toISOString() });
    assert.equal(outcome, 'completed');
    assert.deepEqual(received, [made]);
    assert.ok((received[0] as typeof made).at instanceof Date);
    assert.deepEqual((await journalEntry(box, callId)).arguments, {
      at: '2030-01-02T03:04:05.000Z',
      map: { a: '1970-01-01T00:00:00.000Z' },
      set: [1, 2],
      address: 'https://example.com/a',
      bytes: 'AQI=',
      buffer: 'YWI=',
      pattern: '/a+/gi',
      money: 1.5,
    });
  });

  test('a caller that mutates its arguments during the approval changes nothing', async (t) => {
    for (const effect of ['read', 'irreversible'] as const) {
      const act = defineTool({ name: 'act', description: 'Acts.', effect, input: { type: 'object' }, run });
      const args = { to: 'bob' };
      const box = await createBox(t, {
        servers: [localServer({ name: 'x', tools: [act] })],
        policies: rules('- { id: ask, match: "mcp__x__*", ask: true }'),
        approve: () => {
          args.to = 'attacker';
          return { allow: true, by: alice };
        },
      });
      received.length = 0;
      assert.equal((await box.call('mcp__x__act', args)).outcome, 'completed');
      assert.deepEqual(received, [{ to: 'bob' }]);
    }
  });

  test('a caller that mutates its arguments while the intent is recorded changes nothing', async (t) => {
    const act = defineTool({
      name: 'act',
      description: 'Acts.',
      effect: 'irreversible',
      input: { type: 'object' },
      run,
    });
    const box = await createBox(t, {
      servers: [localServer({ name: 'x', tools: [act] })],
      policies: rules(`- { id: bob, match: "mcp__x__*", allow: "args.to == 'bob'" }`),
      data: temporaryDirectory(t),
    });
    received.length = 0;
    const args = { to: 'bob' };
    const made = box.call('mcp__x__act', args);
    args.to = 'attacker';
    assert.equal((await made).outcome, 'completed');
    assert.deepEqual(received, [{ to: 'bob' }]);
  });
});

describe('arguments of an approval', () => {
  const ran: unknown[] = [];
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    effect: 'irreversible',
    input: z.object({
      to: z.string().trim().toLowerCase(),
      at: z.string().transform((text) => new Date(text)),
      copy: z.string().default('archive@example.com'),
    }),
    run: (args) => {
      ran.push(args);
      return 'sent';
    },
  });
  const servers = [localServer({ name: 'mail', tools: [send] })];
  const name = 'mcp__mail__send';
  const given = { to: ' Bob@Example.com', at: '2030-01-02' };
  const shown = { to: 'bob@example.com', at: '2030-01-02T00:00:00.000Z', copy: 'archive@example.com' };

  test('a request shows the final arguments, and an approval covers the same arguments in another spelling', async (t) => {
    const box = await createBox(t, { servers, data: temporaryDirectory(t) });
    const id = approvalIdOf(await box.call(name, given, { waitMs: 0 }));
    const [open] = await box.approvals.list();
    assert.deepEqual([open?.arguments, open?.givenArguments], [shown, given]);
    await box.approvals.approve(id, { by: alice });
    ran.length = 0;
    assert.equal((await box.call(name, { ...given, to: 'bob@example.com' })).outcome, 'completed');
    assert.deepEqual(ran, [{ ...shown, at: new Date('2030-01-02') }]);
  });

  test('a callback receives the final arguments, and its edits run exactly as written or not at all', async (t) => {
    const requests: ApprovalRequest[] = [];
    let edit: (args: ApprovalRequest['arguments']) => ApprovalRequest['arguments'] = (args) => args;
    const box = await createBox(t, {
      servers,
      approve: (request) => {
        requests.push(request);
        return { allow: true, by: alice, arguments: edit(request.arguments) };
      },
    });
    ran.length = 0;
    edit = (args) => ({ ...args, to: 'carol@example.com' });
    assert.equal((await box.call(name, given)).outcome, 'completed');
    assert.deepEqual(requests[0]?.arguments, shown);
    assert.deepEqual(ran, [{ ...shown, to: 'carol@example.com', at: new Date('2030-01-02') }], 'transformed once');
    edit = (args) => ({ ...args, to: ' Carol@Example.com' });
    const changed = await box.call(name, given);
    assert.equal(changed.error?.code, 'approval-failed');
    assert.match(changed.error?.message ?? '', /would turn them into .*carol@example\.com/);
    edit = ({ copy: _, ...args }) => args;
    assert.match((await box.call(name, given)).error?.message ?? '', /archive@example\.com/);
    assert.equal(ran.length, 1);
  });

  test('an idempotency key is bound to the final arguments', async (t) => {
    const box = await createBox(t, { servers, approve: () => ({ allow: true, by: alice }) });
    const deliver = (to: string): ReturnType<Signalbox['call']> =>
      box.call(name, { ...given, to }, { idempotencyKey: 'k' });
    ran.length = 0;
    assert.equal((await deliver('bob@example.com')).outcome, 'completed');
    assert.equal((await deliver(' BOB@example.com ')).outcome, 'completed', 'the same call');
    assert.equal((await deliver('eve@example.com')).error?.code, 'idempotency-conflict');
    assert.equal(ran.length, 1);
  });
});

describe('budgets over arguments that the journal shortens or redacts', () => {
  const stores = {
    SQLite: (t: TestContext, name: string) => {
      const data = temporaryDirectory(t);
      return () => sqliteStore({ file: join(data, `${name}.db`) });
    },
    PostgreSQL: (_: TestContext, name: string) => () => postgresStore({ address: cluster.address(name) }),
  };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    effect: 'irreversible',
    input: { type: 'object', properties: { amount: { type: 'number' }, token: { type: 'number' } } },
    run: () => 'paid',
  });
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    effect: 'read',
    input: { type: 'object', properties: { path: { type: 'string' } } },
    run: () => 'text',
  });
  const cost = "'token' in args ? args.token : args.amount";
  const policies = rules(`
- { id: yes, match: "mcp__bank__*", allow: true }
- { id: budget, budget: { match: "mcp__bank__pay", cost: 150, each: "${cost}", by: session } }
- { id: daily, budget: { match: "mcp__bank__pay", cost: 150, each: "${cost}", per: 1d, by: principal } }
- { id: tainted, match: "mcp__bank__pay", deny: "session.hasRead('/vault/hunter2-hunter2')" }
`);
  const secretAmount = 47_110_815;
  const padded = { amount: 30, note: 'x'.repeat(1_100_000) };
  /** The key makes the journal record `[redacted]` instead of the number. */
  const tokens = { token: 30 };

  for (const [kind, storeOf] of Object.entries(stores)) {
    const openBox = async (t: TestContext, openStore: ReturnType<typeof storeOf>): Promise<Signalbox> => {
      const box = await createBox(t, {
        store: await openStore(),
        servers: [localServer({ name: 'bank', tools: [pay, read] })],
        policies,
      });
      box.secrets.add('PIN', String(secretAmount));
      box.secrets.add('VAULT', 'hunter2-hunter2');
      return box;
    };
    const outcomeOf = async (box: Signalbox, args: object, session = 's'): Promise<string> => {
      const { outcome, decision, error } = await box.call('mcp__bank__pay', args, { session });
      return outcome === 'completed' ? outcome : `${outcome} by ${decision?.rule ?? error?.message}`;
    };

    for (const [description, args] of Object.entries({
      'of more than 1 MB': padded,
      'with an amount that looks like a secret': tokens,
    }))
      test(`${kind}: arguments ${description} count in one process, in two, and after a restart`, async (t) => {
        const openStore = storeOf(t, description.replaceAll(' ', '_').toLowerCase());
        const first = await openBox(t, openStore);
        for (let count = 0; count < 3; count += 1) assert.equal(await outcomeOf(first, args), 'completed');
        if (kind === 'PostgreSQL') {
          const second = await openBox(t, openStore);
          assert.equal(await outcomeOf(second, args), 'completed');
          assert.equal(await outcomeOf(first, args), 'completed');
          assert.equal(await outcomeOf(second, args), 'denied by budget');
        } else for (let count = 0; count < 2; count += 1) assert.equal(await outcomeOf(first, args), 'completed');
        assert.equal(await outcomeOf(first, args), 'denied by budget');
        await first.close();
        const again = await openBox(t, openStore);
        assert.equal(await outcomeOf(again, args), 'denied by budget');
        assert.equal(await outcomeOf(again, args, 'another session'), 'denied by daily');
      });

    test(`${kind}: an amount that is a registered secret counts, and a path that contains one is matched`, async (t) => {
      const openStore = storeOf(t, 'amount');
      const first = await openBox(t, openStore);
      const rich = rules(`
- { id: yes, match: "mcp__bank__*", allow: true }
- { id: budget, budget: { match: "mcp__bank__pay", cost: 100000000, each: args.amount } }
- { id: tainted, match: "mcp__bank__pay", deny: "session.hasRead('/vault/hunter2-hunter2')" }
`);
      await first.policies.set(rich);
      for (let count = 0; count < 2; count += 1)
        assert.equal(await outcomeOf(first, { amount: secretAmount }), 'completed');
      assert.equal(await outcomeOf(first, { amount: secretAmount }), 'denied by budget');
      assert.equal(await outcomeOf(first, { amount: 1 }, 'reader'), 'completed');
      const { callId } = await first.call('mcp__bank__read', { path: '/vault/hunter2-hunter2' }, { session: 'reader' });
      assert.equal(await outcomeOf(first, { amount: 1 }, 'reader'), 'denied by tainted');
      assert.deepEqual((await journalEntry(first, callId)).arguments, { path: '/vault/[redacted:VAULT]' });
      await first.close();
      const again = await openBox(t, openStore);
      await again.policies.set(rich);
      assert.equal(await outcomeOf(again, { amount: secretAmount }), 'denied by budget');
      assert.equal(await outcomeOf(again, { amount: 1 }, 'reader'), 'denied by tainted');
      const shown = JSON.stringify((await again.journal.query({ limit: 100 })).items);
      assert.ok(!shown.includes(String(secretAmount)), 'readers of the journal do not see the amount');
    });
  }
});
