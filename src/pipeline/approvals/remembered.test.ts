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

interface AnsweredBox {
  readonly box: Signalbox;
  readonly server: LocalServer;
  readonly questionCount: () => number;
  call(name: string, args?: object, session?: string, principal?: { id: string; kind: 'agent' }): Promise<CallResult>;
}

/** Creates a box in which a human approves everything, remembered for this scope. */
async function approvingBox(remember?: RememberScope | 'nothing'): Promise<AnsweredBox> {
  let questions = 0;
  const approve: Approve = () => {
    questions += 1;
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
    questionCount: () => questions,
    call: (name, args = {}, session = 's1', principal = bot) =>
      box.call(`mcp__t__${name}`, args, { session, principal }),
  };
}

/** Creates a box whose questions wait in the inbox. */
async function askingBox(t: TestContext, policies: readonly PolicySource[]): Promise<Signalbox> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-remembered-'));
  t.after(() => rmSync(data, { recursive: true }));
  const make = (name: string, effect: Effect, label: string) =>
    defineTool({ name, description: 'x', effect, labels: [label], input: { type: 'object' }, run: () => 'done' });
  const tools = [make('look', 'read', 'private'), make('send', 'compensable', 'external')];
  return createSignalbox({ data, policies, servers: [localServer({ name: 't', tools })] });
}

describe('remembered approval', () => {
  test('of scope session allows the tool in that session and in no other', async () => {
    const { call, questionCount, box } = await approvingBox('session');
    await call('fix', { a: 1 });
    const { decision } = await call('fix', { a: 2 });
    assert.equal(questionCount(), 1);
    assert.equal(decision?.answer, 'allow');
    const [rule] = await box.approvals.rules();
    assert.equal(decision?.rule, `remembered:${rule?.id}`);
    assert.match(decision?.reason ?? '', /^alice approved it for mcp__t__fix in session s1 at /);
    await call('fix', {}, 's2');
    await call('mend');
    assert.equal(questionCount(), 3);
    await box.close();
  });

  test('of scope arguments, tool or server allows exactly the calls in that scope', async () => {
    const expectedQuestions: [RememberScope, number][] = [
      ['arguments', 4],
      ['tool', 3],
      ['server', 2],
    ];
    for (const [scope, questions] of expectedQuestions) {
      const { call, questionCount, box } = await approvingBox(scope);
      await call('fix', { a: 1 });
      await call('fix', { a: 1 }, 's2');
      await call('fix', { a: 2 });
      await call('mend', { a: 1 });
      await call('fix', { a: 1 }, 's1', { id: 'other', kind: 'agent' });
      assert.equal(questionCount(), questions, scope);
      await box.close();
    }
  });

  test('of an irreversible call applies only to the same arguments, even with scope server', async () => {
    const once = await approvingBox('tool');
    assert.equal((await once.call('burn')).outcome, 'completed');
    assert.deepEqual(await once.box.approvals.rules(), []);
    const [used] = await once.box.approvals.list({ all: true });
    assert.match(
      used?.answer?.notRemembered ?? '',
      /burn cannot be undone: it can be remembered only for exactly these/,
    );
    await once.call('burn');
    assert.equal(once.questionCount(), 2);
    await once.box.close();

    const exact = await approvingBox('arguments');
    await exact.call('burn', { a: 1 });
    assert.equal((await exact.call('burn', { a: 1 })).outcome, 'completed');
    assert.equal(exact.questionCount(), 1);
    await exact.call('burn', { a: 2 });
    assert.equal(exact.questionCount(), 2);
    await exact.box.close();

    const whole = await approvingBox('server');
    await whole.call('fix');
    await whole.call('burn');
    assert.equal(whole.questionCount(), 2);
    await whole.box.close();
  });

  test('does not apply to a changed tool', async () => {
    const { call, questionCount, box, server } = await approvingBox('tool');
    await call('fix');
    server.replace(tool('fix', 'compensable', 'Sends everything to somebody.'));
    await call('fix');
    assert.equal(questionCount(), 2);
    await box.close();
  });

  test('is the default for undoable writes: an approval covers the tool for the rest of the session unless "nothing" is to be remembered', async () => {
    const once = await approvingBox();
    await once.call('write', { a: 1 });
    await once.call('write', { a: 2 });
    assert.equal(once.questionCount(), 1);
    assert.equal((await once.box.approvals.rules())[0]?.scope, 'session');
    await once.call('write', {}, 's2');
    assert.equal(once.questionCount(), 2);
    await once.call('burn');
    await once.call('burn');
    assert.equal(once.questionCount(), 4, 'irreversible calls always ask');
    await once.box.close();

    const always = await approvingBox('nothing');
    await always.call('write');
    await always.call('write');
    assert.equal(always.questionCount(), 2);
    await always.box.close();
  });

  test('is listed and can be revoked: its calls then ask again, and the journal records it', async () => {
    const { call, questionCount, box } = await approvingBox('tool');
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
    assert.equal(questionCount(), 2);
    const { items } = await box.journal.query({ type: 'RuleRevoked' });
    assert.ok(items[0]?.type === 'RuleRevoked' && items[0].rule === rule?.id);
    const resolved = (await box.journal.query({ type: 'ApprovalResolved', order: 'oldest-first' })).items[0];
    assert.ok(resolved?.type === 'ApprovalResolved' && resolved.remembered !== undefined);
    const { digest = '', ...remembered } = resolved.remembered;
    assert.deepEqual([remembered, digest.length], [{ rule: rule?.id, scope: 'tool' }, 64]);
    await box.close();
  });

  test('revoked before its first approval was used, also voids that approval', async (t) => {
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

  test('can be previewed: recorded calls that it would have allowed, and how many of them a human denied', async () => {
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
    assert.deepEqual(await box.approvals.rules(), [], 'a preview creates no rule');
    await box.close();
  });
});

describe('several rules that ask', () => {
  test('are all part of the question, and all must be remembered for the call to run without a question', async (t) => {
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
    box.approvals.attach({ name: 'observer', ask: (request) => void requests.push(request) });
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

  test('ask again when the text of a rule changes, and not when only its formatting changes', async (t) => {
    const policiesOf = (text: string): PolicySource[] => [{ text, file: 'p.yaml' }];
    const box = await askingBox(t, policiesOf('- { id: sending, match: mcp__t__send, ask: "true" }'));
    const send = (text: string): Promise<CallResult> =>
      box.call('mcp__t__send', { text }, { principal: bot, waitMs: 0 });
    const approvalId = approvalIdOf(await send('a'));
    await box.approvals.approve(approvalId, { by: alice, remember: 'tool' });
    await box.policies.set(policiesOf('# mail\n- ask: "true"\n  match: mcp__t__send\n  id: sending\n'));
    assert.equal((await send('b')).outcome, 'completed');
    await box.policies.set(policiesOf('- { id: sending, match: mcp__t__send, ask: "args.text != \'x\'" }'));
    assert.equal((await send('b')).outcome, 'awaiting-approval');
    await box.close();
  });
});
