import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { approvalIdOf } from '../../../test/support/approval-id.ts';
import {
  type ApprovalRequest,
  type Approve,
  type CallResult,
  type Effect,
  type LocalServer,
  type PolicySource,
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

/** A box whose questions wait in the inbox. */
async function askingBox(t: TestContext, policies: readonly PolicySource[]): Promise<Signalbox> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-remembered-'));
  t.after(() => rmSync(data, { recursive: true }));
  const make = (name: string, effect: Effect, label: string) =>
    defineTool({ name, description: 'x', effect, labels: [label], input: { type: 'object' }, run: () => 'done' });
  const tools = [make('look', 'read', 'private'), make('send', 'compensable', 'external')];
  return createSignalbox({ data, policies, servers: [localServer({ name: 't', tools })] });
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
    const once = await place('tool');
    assert.equal((await once.call('burn')).outcome, 'completed');
    assert.deepEqual(await once.box.approvals.rules(), []);
    const [used] = await once.box.approvals.list({ all: true });
    assert.match(
      used?.answer?.notRemembered ?? '',
      /burn cannot be undone: it can be remembered only for exactly these/,
    );
    await once.call('burn');
    assert.equal(once.asked(), 2);
    await once.box.close();

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
      ['tool', 'mcp__t__fix', alice, [{ rule: 'default:compensable' }]],
    );
    await assert.rejects(box.approvals.revoke(rule?.id ?? '', { by: bot }), { code: 'approver-refused' });
    await box.approvals.revoke(rule?.id ?? '', { by: alice });
    await assert.rejects(box.approvals.revoke(rule?.id ?? '', { by: alice }), { code: 'rule-unknown' });
    assert.deepEqual(await box.approvals.rules(), []);
    await call('fix');
    assert.equal(asked(), 2);
    const { items } = await box.journal.query({ type: 'RuleRevoked' });
    assert.ok(items[0]?.type === 'RuleRevoked' && items[0].rule === rule?.id);
    const resolved = (await box.journal.query({ type: 'ApprovalResolved', order: 'oldest-first' })).items[0];
    assert.deepEqual(resolved?.type === 'ApprovalResolved' && resolved.remembered, { rule: rule?.id, scope: 'tool' });
    await box.close();
  });

  test('revoked before the approval was used: that does not run the call either', async (t) => {
    const box = await askingBox(t, []);
    const first = await box.call('mcp__t__send', { text: 'a' }, { principal: bot, waitMs: 0 });
    const id = approvalIdOf(first);
    await box.approvals.approve(id, { by: alice, remember: 'tool' });
    const other = await box.call('mcp__t__send', { text: 'b' }, { principal: bot, waitMs: 0 });
    const [rule] = await box.approvals.rules();
    assert.equal(other.decision?.rule, `remembered:${rule?.id}`);
    await box.approvals.revoke(rule?.id ?? '', { by: alice });
    assert.equal((await box.approvals.get(id)).state, 'expired');
    const again = await box.call('mcp__t__send', { text: 'a' }, { principal: bot, waitMs: 0 });
    assert.equal(again.outcome, 'awaiting-approval');
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

describe('rules that ask together', () => {
  test('are all in the question, and all must be remembered for the call to run without it', async (t) => {
    const requests: ApprovalRequest[] = [];
    const box = await askingBox(t, [
      {
        text: `
- { id: sending, match: mcp__t__send, ask: true, reason: mail leaves }
- { id: leak, flow: { from: [private], to: [external] }, ask: true, reason: private data may leave }
`,
        file: 'p.yaml',
      },
      {
        name: 'hours',
        check: ({ arguments: { text } }) => (text === 'late' ? { answer: 'ask', reason: 'it is late' } : undefined),
      },
    ]);
    box.approvals.attach({ name: 'watcher', ask: (request) => void requests.push(request) });
    const send = (text: string): Promise<CallResult> =>
      box.call('mcp__t__send', { text }, { session: 's', principal: bot, waitMs: 0 });
    const approve = async (result: CallResult): Promise<void> =>
      void (await box.approvals.approve(approvalIdOf(result), { by: alice, remember: 'tool' }));

    const alone = await send('a');
    assert.deepEqual([alone.decision?.rule, alone.decision?.asks], ['sending', undefined]);
    await approve(alone);
    assert.match((await send('b')).decision?.rule ?? '', /^remembered:/);

    await box.call('mcp__t__look', {}, { session: 's', principal: bot });
    const both = await send('c');
    assert.equal(both.outcome, 'awaiting-approval');
    assert.match(both.error?.message ?? '', /\(mail leaves; private data may leave\)/);
    const expected = [
      { rule: 'sending', reason: 'mail leaves', at: 'p.yaml:2' },
      { rule: 'leak', reason: 'private data may leave', at: 'p.yaml:3' },
    ];
    for (const decision of [both.decision, requests.at(-1)?.decision, (await box.approvals.list())[0]?.decision])
      assert.deepEqual(
        decision?.asks?.map(({ version: _, ...asking }) => asking),
        expected,
      );
    await approve(both);
    const { decision } = await send('d');
    assert.match(decision?.rule ?? '', /^remembered:/);
    assert.match(decision?.reason ?? '', /"sending" and "leak" would ask$/);

    const late = await send('late');
    assert.deepEqual(
      late.decision?.asks?.map(({ rule }) => rule),
      ['sending', 'leak', 'code:hours'],
    );
    assert.equal(late.outcome, 'awaiting-approval');
    await box.close();
  });

  test('a rule that is written differently asks again, one that is only laid out differently does not', async (t) => {
    const inForce = (text: string): PolicySource[] => [{ text, file: 'p.yaml' }];
    const box = await askingBox(t, inForce('- { id: sending, match: mcp__t__send, ask: "true" }'));
    const send = (text: string): Promise<CallResult> =>
      box.call('mcp__t__send', { text }, { principal: bot, waitMs: 0 });
    const approvalId = approvalIdOf(await send('a'));
    await box.approvals.approve(approvalId, { by: alice, remember: 'tool' });
    await box.policies.set(inForce('# mail\n- ask: "true"\n  match: mcp__t__send\n  id: sending\n'));
    assert.equal((await send('b')).outcome, 'completed');
    await box.policies.set(inForce('- { id: sending, match: mcp__t__send, ask: "args.text != \'x\'" }'));
    assert.equal((await send('b')).outcome, 'awaiting-approval');
    await box.close();
  });
});
