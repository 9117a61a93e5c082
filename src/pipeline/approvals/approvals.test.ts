import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { approvalIdOf } from '../../../test/support/approval-id.ts';
import * as z from 'zod';
import { openCoreBox } from '../../../test/support/boxes/core-box.ts';
import { testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import {
  type Approval,
  type CallOptions,
  type CallResult,
  type JournalEvent,
  type LocalServer,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';
import { configuredServer } from '../../catalog/transforms/shaping/shape-source.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'));
after(() => rmSync(directory, { recursive: true }));
let dataDirectories = 0;

const alice = { id: 'alice', kind: 'human' } as const;
const bob = { id: 'bob', kind: 'human' } as const;
const bot = { id: 'bot', kind: 'agent' } as const;

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number(), note: z.string().optional() }),
  effect: 'irreversible',
  run: ({ amount }) => ({ paid: amount }),
});

interface Bank {
  readonly box: Signalbox;
  readonly server: LocalServer;
  /** Calls the tool `pay`. By default, does not wait for an answer. */
  callPay(amount: number, options?: CallOptions): Promise<CallResult>;
  /** Closes the box and opens it again. */
  restart(): Promise<Bank>;
}

async function bank(options: SignalboxOptions = {}, data = join(directory, String(dataDirectories++))): Promise<Bank> {
  const server = localServer({ name: 'bank', tools: [pay] });
  const box = await createSignalbox({ servers: [server], data, ...options });
  return {
    box,
    server,
    callPay: (amount, more) => box.call('mcp__bank__pay', { amount }, { principal: bot, waitMs: 0, ...more }),
    async restart() {
      await box.close();
      return bank(options, data);
    },
  };
}

/** Resolves with the first approval in the inbox. */
async function firstApproval(box: Signalbox): Promise<Approval> {
  for (;;) {
    const [approval] = await box.approvals.list();
    if (approval !== undefined) return approval;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('approval', () => {
  test('admits exactly one run of the same call, which then needs no further wait', async () => {
    const { box, callPay } = await bank();
    const first = await callPay(5);
    const id = approvalIdOf(first);
    assert.match(first.error?.message ?? '', /make exactly the same call again/);
    assert.equal((await box.approvals.approve(id, { by: alice })).state, 'approved');
    const second = await callPay(5);
    assert.deepEqual([second.outcome, second.structuredContent], ['completed', { paid: 5 }]);
    const approval = await box.approvals.get(id);
    assert.deepEqual([approval.state, approval.usedBy, approval.answer?.by], ['used', second.callId, alice]);
    assert.notEqual(approvalIdOf(await callPay(5)), id);
    await box.close();
  });

  test('is shared by identical calls while it is pending, whatever the order of properties', async () => {
    const { box } = await bank();
    const call = (args: object): Promise<CallResult> => box.call('mcp__bank__pay', args, { principal: bot, waitMs: 0 });
    const id = approvalIdOf(await call({ amount: 1, note: 'x' }));
    assert.equal(approvalIdOf(await call({ note: 'x', amount: 1 })), id);
    assert.equal((await box.approvals.list()).length, 1);
    await box.close();
  });

  test('does not apply to other arguments, another principal, a changed definition or a changed rule, and the next question says why', async () => {
    const { box, server, callPay } = await bank();
    const id = approvalIdOf(await callPay(5));
    await box.approvals.approve(id, { by: alice });
    assert.equal((await callPay(6)).outcome, 'awaiting-approval');
    assert.equal((await callPay(5, { principal: { id: 'other', kind: 'agent' } })).outcome, 'awaiting-approval');
    server.replace(defineTool({ ...pay, description: 'Pays twice.' }));
    const changed = await box.approvals.get(approvalIdOf(await callPay(5)));
    assert.match(changed.note ?? '', new RegExp(`^${id} was approved, but the definition of the tool has changed`));
    server.replace(pay);
    assert.equal((await callPay(5)).outcome, 'completed');
    await box.close();

    let policy = '1';
    const core = await openCoreBox(
      join(directory, 'policy', 'signalbox.db'),
      [testSource('bank', [testTool('pay')])],
      () => ({ answer: 'ask', rule: 'r', reason: 'r', policy, version: policy }),
    );
    const before = (await core.call('mcp__bank__pay', { a: '1' }, { waitMs: 0 })) as CallResult;
    await core.approvals.approve(approvalIdOf(before), { by: alice });
    policy = '2';
    const now = await core.approvals.get(approvalIdOf(await core.call('mcp__bank__pay', { a: '1' }, { waitMs: 0 })));
    assert.match(now.note ?? '', /"r" did not ask then, or has changed since/);
    // The rule changes while a call waits: an approval under the old rule leads to a new question under the new one.
    const waiting = core.call('mcp__bank__pay', { a: '2' }, { waitMs: 2000 });
    let pending: Approval | undefined;
    while (pending === undefined) {
      pending = (await core.approvals.list()).find(({ arguments: args }) => args['a'] === '2');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    policy = '3';
    await core.approvals.approve(pending.id, { by: alice });
    let next: Approval | undefined;
    while (next === undefined) {
      next = (await core.approvals.list()).find(
        ({ arguments: args, state }) => args['a'] === '2' && state === 'pending',
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(next.decision.policy, '3');
    await core.approvals.approve(next.id, { by: alice });
    assert.equal((await waiting).outcome, 'completed');
    await core.close();
  });

  test('survives restarts while pending and while approved, and stays used after its run', async () => {
    let place = await bank();
    const id = approvalIdOf(await place.callPay(5));
    place = await place.restart();
    assert.equal(approvalIdOf(await place.callPay(5)), id);
    await place.box.approvals.approve(id, { by: alice });
    place = await place.restart();
    assert.equal((await place.callPay(5)).outcome, 'completed');
    place = await place.restart();
    assert.notEqual(approvalIdOf(await place.callPay(5)), id);
    await place.box.close();
  });

  test('expires whether or not it was answered', async () => {
    const { box, callPay } = await bank({ approvals: { expireAfterMs: 1500 } });
    const [unanswered, unused] = [approvalIdOf(await callPay(1)), approvalIdOf(await callPay(2))];
    await box.approvals.approve(unused, { by: alice });
    const waiting = callPay(3, { waitMs: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 1600));
    await assert.rejects(box.approvals.approve(unanswered, { by: alice }), { code: 'approval-expired' });
    assert.notEqual(approvalIdOf(await callPay(2)), unused);
    assert.equal((await box.approvals.get(unused)).state, 'expired');
    const { outcome, error } = await waiting;
    assert.deepEqual([outcome, error?.code], ['denied', 'approval-expired']);
    await box.close();
  });

  test('shows and binds the arguments that the tool receives, including those that the configuration sets', async () => {
    const ran: unknown[] = [];
    const send = defineTool({
      name: 'send',
      description: 'x',
      input: { type: 'object', properties: { to: { type: 'string' }, from: { type: 'string' } } } as const,
      run: (args) => void ran.push(args),
    });
    const data = join(directory, String(dataDirectories++));
    const open = (from: string): Promise<Signalbox> => {
      const shaping = { origin: 'x.json', arguments: { send: { set: { from }, default: { to: 'me' } } } };
      return createSignalbox({
        data,
        servers: [configuredServer(localServer({ name: 'mail', tools: [send] }), shaping)],
      });
    };
    const call = (box: Signalbox): Promise<CallResult> => box.call('mcp__mail__send', {}, { waitMs: 0 });
    let box = await open('a@x');
    const { id, arguments: shown } = await box.approvals.get(approvalIdOf(await call(box)));
    assert.deepEqual(shown, { to: 'me', from: 'a@x' });
    await box.approvals.approve(id, { by: alice });
    await box.close();
    box = await open('b@x');
    assert.notEqual(approvalIdOf(await call(box)), id, 'the approval was for another sender');
    await box.close();
    box = await open('a@x');
    assert.equal((await call(box)).outcome, 'completed');
    assert.deepEqual(ran, [{ to: 'me', from: 'a@x' }]);
    await box.close();
  });
});

describe('approval answers', () => {
  test('are accepted only from humans, not from the calling agent or another principal', async () => {
    const { box, callPay } = await bank();
    const id = approvalIdOf(await callPay(5));
    for (const by of [bot, { id: 'system', kind: 'system' }, { id: 'alice', kind: 'agent' }] as const) {
      await assert.rejects(box.approvals.approve(id, { by }), { code: 'approver-refused' });
      await assert.rejects(box.approvals.deny(id, { by }), { code: 'approver-refused' });
    }
    assert.equal((await box.approvals.get(id)).state, 'pending');
    await box.close();
  });

  test('apply only to the exact call when its caller is gone, even where undoable calls ask once per session', async () => {
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      effect: 'undoable',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
      run: () => 'written',
    });
    const box = await createSignalbox({
      servers: [localServer({ name: 'notes', tools: [write] })],
      data: join(directory, String(dataDirectories++)),
    });
    const call = (text: string): Promise<CallResult> =>
      box.call('mcp__notes__write', { text }, { session: 's', principal: bot, waitMs: 0 });
    await box.approvals.approve(approvalIdOf(await call('one')), { by: alice });
    assert.deepEqual(await box.approvals.rules(), []);
    assert.equal((await call('two')).outcome, 'awaiting-approval');
    assert.equal((await call('one')).outcome, 'completed');
    assert.equal((await call('one')).outcome, 'awaiting-approval');
    await box.close();
  });

  test('are final: the first one wins, and later ones are rejected with its author and time', async () => {
    const { box, callPay } = await bank();
    const id = approvalIdOf(await callPay(5));
    const [yes, no] = await Promise.allSettled([
      box.approvals.approve(id, { by: alice }),
      box.approvals.deny(id, { by: bob }),
    ]);
    assert.deepEqual([yes.status, no.status], ['fulfilled', 'rejected']);
    await assert.rejects(box.approvals.deny(id, { by: bob }), {
      code: 'approval-answered',
      message: new RegExp(`^${id} was already approved by alice at \\d{4}-`),
    });
    await box.close();
  });

  test('deliver a denial once, to all waiting calls or to the next call; after that the call asks again', async () => {
    const { box, callPay } = await bank();
    const id = approvalIdOf(await callPay(5));
    await box.approvals.deny(id, { by: alice, reason: 'too much' });
    const denied = await callPay(5);
    assert.deepEqual([denied.outcome, denied.error?.code], ['denied', 'approval-denied']);
    assert.match(denied.error?.message ?? '', /was refused by alice: too much/);
    const next = approvalIdOf(await callPay(5));
    assert.notEqual(next, id);
    const waiting = [callPay(5, { waitMs: 5000 }), callPay(5, { waitMs: 5000 })];
    await new Promise((resolve) => setTimeout(resolve, 20));
    await box.approvals.deny(next, { by: alice });
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ outcome }) => outcome),
      ['denied', 'denied'],
    );
    assert.equal((await callPay(5)).outcome, 'awaiting-approval');
    await box.close();
  });

  test('admit one of two calls that wait for the same approval; the other keeps waiting', async () => {
    const { box, callPay } = await bank();
    const waiting = [callPay(5, { waitMs: 400 }), callPay(5, { waitMs: 400 })];
    const { id } = await firstApproval(box);
    await box.approvals.approve(id, { by: alice });
    const results = await Promise.all(waiting);
    assert.deepEqual(results.map(({ outcome }) => outcome).toSorted(), ['awaiting-approval', 'completed']);
    await box.close();
  });

  test('reach a call that waits in another process', async () => {
    const one = await bank();
    const data = join(one.box.journal.location, '..');
    const two = await createSignalbox({ data });
    const waiting = one.callPay(5, { waitMs: 10_000 });
    const { id } = await firstApproval(two);
    await two.approvals.approve(id, { by: alice });
    assert.equal((await waiting).outcome, 'completed');
    await Promise.all([one.box.close(), two.close()]);
  });

  test('are rejected for unknown ids, and ids cannot be guessed', async () => {
    const { box, callPay } = await bank();
    const id = approvalIdOf(await callPay(5));
    assert.match(id, /^appr_[0-9a-z]{26}$/);
    for (const wrong of [id.slice(0, -1), `${id}0`, '', 'appr_', id.toUpperCase()])
      await assert.rejects(box.approvals.approve(wrong, { by: alice }), { code: 'approval-unknown' });
    await box.close();
  });
});

describe('approval channels', () => {
  test('are all asked at once; the first answer wins and aborts the signal of the others', async () => {
    const events: string[] = [];
    const { box, callPay } = await bank({
      approve: ({ signal }) =>
        new Promise(() => signal.addEventListener('abort', () => events.push(String(signal.reason)))),
    });
    const detach = box.approvals.attach({
      name: 'pager',
      ask: ({ approvalId }) => {
        events.push('paged');
        setTimeout(() => void box.approvals.approve(approvalId, { by: alice }), 10);
        return undefined;
      },
    });
    const own = callPay(5, { waitMs: 5000, approve: () => new Promise(() => events.push('caller asked')) });
    assert.equal((await own).outcome, 'completed');
    assert.deepEqual(events.slice(0, 2).toSorted(), ['caller asked', 'paged']);
    assert.match(events[2] ?? '', /^AbortError: appr_\w+ was answered/);
    detach();
    await box.close();
  });

  test('keep a question open after its call has ended, and a late answer serves the next call', async () => {
    let answer: (allow: true) => void = () => undefined;
    let times = 0;
    const { box, callPay } = await bank({
      approve: () => {
        times += 1;
        return new Promise((resolve) => (answer = (allow) => resolve({ allow, by: bob })));
      },
    });
    const id = approvalIdOf(await callPay(5, { waitMs: 10 }));
    approvalIdOf(await callPay(5, { waitMs: 10 }));
    assert.equal(times, 1, 'one question for both calls');
    answer(true);
    while ((await box.approvals.get(id)).state === 'pending') await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual((await box.approvals.get(id)).answer?.by, bob);
    assert.equal((await callPay(5)).outcome, 'completed');
    await box.close();
  });

  test('cannot answer on behalf of an agent', async () => {
    const { box, callPay } = await bank({ approve: () => ({ allow: true, by: bot }) });
    const { outcome, error } = await callPay(5, { waitMs: 5000 });
    assert.deepEqual([outcome, error?.code], ['denied', 'approval-failed']);
    await box.close();
  });

  test('use neither the timeout of the tool nor a concurrency slot while they wait for a human', async () => {
    const act = defineTool({
      name: 'act',
      description: 'x',
      input: { type: 'object' },
      timeoutMs: 300,
      run: () => new Promise((resolve) => setTimeout(resolve, 10, 'done')),
    });
    const look = defineTool({ name: 'look', description: 'x', effect: 'read', run: () => 'seen' });
    const box = await createSignalbox({
      servers: [localServer({ name: 't', tools: [act, look], concurrency: 1 })],
      approve: () => new Promise((resolve) => setTimeout(resolve, 400, { allow: true })),
    });
    const waiting = box.call('mcp__t__act');
    assert.equal((await box.call('mcp__t__look')).outcome, 'completed');
    assert.equal((await waiting).outcome, 'completed');
    await box.close();
  });
});

describe('journal entries of approvals', () => {
  test('contain the question and the answer, with approver and time, and are emitted as events', async () => {
    const { box, callPay } = await bank();
    const events: JournalEvent[] = [];
    box.on('ApprovalRequested', (event) => events.push(event));
    box.on('ApprovalResolved', (event) => events.push(event));
    const first = await callPay(5, { session: 's' });
    await box.approvals.approve(approvalIdOf(first), { by: alice });
    const second = await callPay(5, { session: 's' });
    const [question, answer] = events;
    assert.ok(question?.type === 'ApprovalRequested' && answer?.type === 'ApprovalResolved');
    assert.deepEqual(
      [question.callId, question.sessionId, question.arguments, question.principal, question.decision.answer],
      [first.callId, 's', { amount: 5 }, bot, 'ask'],
    );
    assert.deepEqual(
      [answer.approvalId, answer.callId, answer.decision, answer.by],
      [question.approvalId, first.callId, 'approved', alice],
    );
    const call = await box.journal.call(second.callId);
    assert.equal(call?.approvalId, question.approvalId);
    assert.ok((await box.journal.verify()).ok);
    await box.close();
  });

  test('contain no secret from the question, from edited arguments or from a reason', async () => {
    const secret = 'hunter2-hunter2-hunter2';
    const data = join(directory, String(dataDirectories++));
    const send = defineTool({ name: 'send', description: 'x', input: { type: 'object' }, run: (args) => args });
    const box = await createSignalbox({
      data,
      secrets: { TOKEN: secret },
      servers: [localServer({ name: 't', tools: [send] })],
    });
    const args = { header: `Bearer ${secret}`, password: 'pa55-w0rd', to: 'x' };
    const result = await box.call('mcp__t__send', args, { waitMs: 0 });
    const approval = await box.approvals.get(approvalIdOf(result));
    assert.deepEqual(approval.arguments, {
      header: 'Bearer [redacted:TOKEN]',
      password: '[redacted]',
      to: 'x',
    });
    for (const edited of [{ to: secret }, { ...approval.arguments, header: 'Bearer [redacted:OTHER]' }])
      await assert.rejects(box.approvals.approve(approval.id, { by: alice, arguments: edited }), {
        code: 'edit-invalid',
      });
    await box.approvals.approve(approval.id, {
      by: alice,
      arguments: { ...approval.arguments, to: 'y' },
      acknowledgeHidden: true,
    });
    const ran = await box.call('mcp__t__send', args);
    assert.deepEqual(ran.structuredContent, { ...args, to: 'y' }, 'hidden values are unchanged');
    await box.call('mcp__t__send', { a: 1 }, { waitMs: 0 });
    const [open] = await box.approvals.list();
    await box.approvals.deny(open?.id ?? '', { by: alice, reason: `because of ${secret}` });
    await box.close();
    for (const name of ['signalbox.db', ...readdirSync(data).filter((each) => each.endsWith('-wal'))]) {
      const bytes = readFileSync(join(data, name)).toString('latin1');
      assert.ok(!bytes.includes(secret) && !bytes.includes('pa55-w0rd'), name);
    }
  });
});
