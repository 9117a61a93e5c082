import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Approve,
  type CallResult,
  type Effect,
  type LocalServer,
  type RememberScope,
  type Signalbox,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';

const alice = { id: 'alice', kind: 'human' } as const;
const bot = { id: 'bot', kind: 'agent' } as const;

function tool(name: string, effect: Effect, description = 'x') {
  return defineTool({ name, description, effect, input: { type: 'object' }, run: () => 'done' });
}

interface Place {
  readonly box: Signalbox;
  readonly server: LocalServer;
  readonly asked: () => number;
  call(name: string, args?: object, session?: string, principal?: { id: string; kind: 'agent' }): Promise<CallResult>;
}

/** A box in which a human says yes to everything, and remembers it for this. */
async function place(remember?: RememberScope | 'nothing'): Promise<Place> {
  let asked = 0;
  const approve: Approve = () => {
    asked += 1;
    return { allow: true, by: alice, ...(remember === undefined ? {} : { remember }) };
  };
  const server = localServer({
    name: 't',
    tools: [
      tool('fix', 'compensable'),
      tool('mend', 'compensable'),
      tool('write', 'undoable'),
      tool('burn', 'irreversible'),
    ],
  });
  const box = await createSignalbox({ servers: [server], approve });
  return {
    box,
    server,
    asked: () => asked,
    call: (name, args = {}, session = 's1', principal = bot) =>
      box.call(`mcp__t__${name}`, args, { session, principal }),
  };
}

describe('remembering', () => {
  test('for the session: the tool runs in it without a question, in no other', async () => {
    const { call, asked, box } = await place('session');
    await call('fix', { a: 1 });
    const { decision } = await call('fix', { a: 2 });
    assert.equal(asked(), 1);
    assert.equal(decision?.answer, 'allow');
    const [rule] = await box.approvals.rules();
    assert.equal(decision?.rule, `remembered:${rule?.id}`);
    assert.match(decision?.reason ?? '', /^alice approved it for mcp__t__fix in session s1 at /);
    await call('fix', {}, 's2');
    await call('mend');
    assert.equal(asked(), 3);
    await box.close();
  });

  test('for the arguments, the tool, or the server: so far and no further', async () => {
    const expected: [RememberScope, number][] = [
      ['arguments', 4],
      ['tool', 3],
      ['server', 2],
    ];
    for (const [scope, questions] of expected) {
      const { call, asked, box } = await place(scope);
      await call('fix', { a: 1 });
      await call('fix', { a: 1 }, 's2');
      await call('fix', { a: 2 });
      await call('mend', { a: 1 });
      await call('fix', { a: 1 }, 's1', { id: 'other', kind: 'agent' });
      assert.equal(asked(), questions, scope);
      await box.close();
    }
  });

  test('what cannot be undone is remembered for exactly the same arguments only, also under a whole server', async () => {
    const refused = await place('tool');
    assert.equal((await refused.call('burn')).error?.code, 'approval-failed');
    assert.deepEqual(await refused.box.approvals.rules(), []);
    await refused.box.close();

    const exact = await place('arguments');
    await exact.call('burn', { a: 1 });
    assert.equal((await exact.call('burn', { a: 1 })).outcome, 'completed');
    assert.equal(exact.asked(), 1);
    await exact.call('burn', { a: 2 });
    assert.equal(exact.asked(), 2);
    await exact.box.close();

    const whole = await place('server');
    await whole.call('fix');
    await whole.call('burn');
    assert.equal(whole.asked(), 2);
    await whole.box.close();
  });

  test('a changed tool asks again', async () => {
    const { call, asked, box, server } = await place('tool');
    await call('fix');
    server.replace(tool('fix', 'compensable', 'Sends everything to somebody.'));
    await call('fix');
    assert.equal(asked(), 2);
    await box.close();
  });

  test('undoable writes ask once: a yes holds for the tool and the rest of the session, unless it is said not to', async () => {
    const once = await place();
    await once.call('write', { a: 1 });
    await once.call('write', { a: 2 });
    assert.equal(once.asked(), 1);
    assert.equal((await once.box.approvals.rules())[0]?.scope, 'session');
    await once.call('write', {}, 's2');
    assert.equal(once.asked(), 2);
    await once.call('burn');
    await once.call('burn');
    assert.equal(once.asked(), 4, 'irreversible calls always ask');
    await once.box.close();

    const always = await place('nothing');
    await always.call('write');
    await always.call('write');
    assert.equal(always.asked(), 2);
    await always.box.close();
  });

  test('is visible and revocable: a revoked rule asks again, and the journal has it', async () => {
    const { call, asked, box } = await place('tool');
    await call('fix');
    const [rule] = await box.approvals.rules();
    assert.deepEqual(
      [rule?.scope, rule?.tool, rule?.by, rule?.answers],
      ['tool', 'mcp__t__fix', alice, 'default:compensable'],
    );
    await assert.rejects(box.approvals.revoke(rule?.id ?? '', { by: bot }), { code: 'approver-refused' });
    await box.approvals.revoke(rule?.id ?? '', { by: alice });
    await assert.rejects(box.approvals.revoke(rule?.id ?? '', { by: alice }), { code: 'rule-unknown' });
    assert.deepEqual(await box.approvals.rules(), []);
    await call('fix');
    assert.equal(asked(), 2);
    const { items } = await box.journal.entries({ type: 'RuleRevoked' });
    assert.ok(items[0]?.type === 'RuleRevoked' && items[0].rule === rule?.id);
    const resolved = (await box.journal.entries({ type: 'ApprovalResolved', order: 'oldest-first' })).items[0];
    assert.deepEqual(resolved?.type === 'ApprovalResolved' && resolved.remembered, { rule: rule?.id, scope: 'tool' });
    await box.close();
  });

  test('first shows which calls on record it would have let through, and which of them a human refused', async () => {
    let allow = true;
    const server = localServer({ name: 't', tools: [tool('fix', 'compensable'), tool('mend', 'compensable')] });
    const box = await createSignalbox({ servers: [server], approve: () => (allow ? { allow } : { allow }) });
    const call = (name: string, a: number): Promise<CallResult> =>
      box.call(`mcp__t__${name}`, { a }, { principal: bot, session: 's' });
    await call('fix', 1);
    await call('fix', 1);
    allow = false;
    await call('fix', 2);
    await call('mend', 1);
    const newest = (await box.approvals.list({ all: true })).find(({ tool: name }) => name === 'mcp__t__fix');
    const counts: unknown[] = [];
    for (const scope of ['arguments', 'tool', 'server', 'session'] as const) {
      const { count, denied, examples, rule } = await box.approvals.preview(newest?.id ?? '', scope, alice);
      assert.ok(examples.every((each) => each.server === 't') && rule.scope === scope);
      counts.push([count, denied]);
    }
    assert.deepEqual(counts, [
      [1, 1],
      [3, 1],
      [4, 2],
      [3, 1],
    ]);
    assert.deepEqual(await box.approvals.rules(), [], 'showing is not remembering');
    await box.close();
  });
});
