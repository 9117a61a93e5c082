import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import * as z from 'zod';
import { type Approval, type CallOptions, type CallResult, defineTool, localServer } from '../../src/index.ts';
import type { ApprovalPage } from '../../src/pipeline/approvals/approval-view.ts';
import type { ProblemDocument } from '../../src/server/problems/problem.ts';
import { approvalIdOf } from '../support/approval-id.ts';
import { adminToken, bodyOf, startTestServer } from '../support/http/http-server.ts';
import { within } from '../support/within.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const bot = { id: 'bot', kind: 'agent' } as const;
const flooder = { id: 'flooder', kind: 'agent' } as const;
const alice = { id: 'alice', kind: 'human' } as const;

interface Bank {
  readonly box: InternalSignalbox;
  readonly paid: number[];
  pay(amount: number, options?: CallOptions): Promise<CallResult>;
  get<Body>(path: string): Promise<Body>;
  approve(id: string, body?: object): Promise<Approval>;
}

/** Starts a real server over a real store, with tools that ask for approval. */
async function startBank(t: TestContext, rules = '- { id: pay, match: mcp__bank__pay, ask: true }'): Promise<Bank> {
  const data = temporaryDirectory(t);
  const paid: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    effect: 'irreversible',
    run: ({ amount }) => void paid.push(amount),
  });
  const note = defineTool({ ...pay, name: 'note', effect: 'undoable' });
  const box = await openSignalbox({
    data,
    servers: [localServer({ name: 'bank', tools: [pay, note] })],
    policies: [{ file: 'p.yaml', text: rules }],
  });
  const { get, send } = await startTestServer(t, { box });
  return {
    box,
    paid,
    pay: (amount, options) => box.call('mcp__bank__pay', { amount }, { principal: bot, waitMs: 0, ...options }),
    get: async (path) => bodyOf(get(path)),
    approve: async (id, body) => bodyOf(send(adminToken, 'POST', `/api/approvals/${id}/approve`, body)),
  };
}

/** Waits until the call requests approval, and returns the request. */
async function approvalRequest(box: InternalSignalbox, call: Promise<unknown>): Promise<Approval> {
  const requested = new Promise<string>((resolve) => {
    const unsubscribe = box.on('ApprovalRequested', ({ approvalId }) => {
      unsubscribe();
      resolve(approvalId);
    });
  });
  const id = await within(Promise.race([requested, call.then(() => requested)]), 'an approval request');
  return box.approvals.get(id);
}

describe('flood of approval requests', () => {
  test('does not hide the request of another caller: pages reach every request, and each caller is counted', async (t) => {
    const { pay, get } = await startBank(t);
    const mine = approvalIdOf(await pay(1));
    for (let amount = 0; amount < 120; amount += 1) await pay(amount, { principal: flooder });
    const first = await get<ApprovalPage>('/api/approvals?state=pending');
    assert.deepEqual([first.items.length, first.total], [100, 121]);
    assert.ok(!first.items.some(({ id }) => id === mine), 'the request is older than the flood');
    assert.deepEqual(first.callers, [
      { principal: 'bot', pending: 1 },
      { principal: 'flooder', pending: 120 },
    ]);
    const { items } = await get<ApprovalPage>('/api/approvals?principal=bot');
    assert.deepEqual(
      items.map(({ id }) => id),
      [mine],
    );
    const seen: string[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`;
      const page: ApprovalPage = await get(`/api/approvals?limit=50${cursor}`);
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
    }
    assert.deepEqual([seen.length, new Set(seen).size, seen.at(-1)], [121, 121, mine]);
    const unknown = await get<ProblemDocument>('/api/approvals?cursor=appr_none');
    assert.equal(unknown.code, 'approval-unknown');
  });
});

describe('approval that cannot be remembered', () => {
  test('runs the call once, and reports that it was not remembered', async (t) => {
    const { box, pay, approve, paid } = await startBank(t);
    const waiting = pay(5, { waitMs: 90_000 });
    const { id } = await approvalRequest(box, waiting);
    const { answer } = await approve(id, { remember: 'tool' });
    assert.match(
      answer?.notRemembered ?? '',
      /cannot be undone: it can be remembered only for exactly these arguments/,
    );
    assert.equal((await waiting).outcome, 'completed');
    assert.deepEqual([paid, await box.approvals.rules()], [[5], []]);
    const [entry] = (await box.journal.query({ type: 'ApprovalResolved' })).items;
    assert.ok(entry?.type === 'ApprovalResolved' && entry.notRemembered !== undefined);
    assert.equal((await pay(5)).outcome, 'awaiting-approval');
  });

  test('runs the call once if the host’s callback gives it', async () => {
    const ran: number[] = [];
    const burn = defineTool({
      name: 'burn',
      description: 'Burns.',
      input: z.object({}),
      effect: 'irreversible',
      run: () => void ran.push(1),
    });
    const box = await openSignalbox({
      servers: [localServer({ name: 't', tools: [burn] })],
      approve: () => ({ allow: true, by: alice, remember: 'session' }),
    });
    assert.equal((await box.call('mcp__t__burn', {})).outcome, 'completed');
    assert.equal(ran.length, 1);
    await box.close();
  });
});

describe('caller that gave up', () => {
  test('is shown as gone; approving runs nothing, and no page claims that something ran or was undone', async (t) => {
    const { box, get, approve, paid, pay } = await startBank(t, '- { id: all, ask: true }');
    const abort = new AbortController();
    const waiting = box.call(
      'mcp__bank__note',
      { amount: 7 },
      { principal: bot, signal: abort.signal, waitMs: 90_000 },
    );
    const { id } = await approvalRequest(box, waiting);
    assert.equal((await get<Approval>(`/api/approvals/${id}`)).caller, 'waiting');
    abort.abort();
    const ended = await waiting;
    assert.equal(ended.outcome, 'cancelled');
    const [gone] = (await get<ApprovalPage>('/api/approvals')).items;
    assert.deepEqual([gone?.id, gone?.state, gone?.caller], [id, 'pending', 'gone']);
    const approved = await approve(id);
    assert.deepEqual([approved.state, paid], ['approved', []]);
    const page = await get<{ ran: boolean; undo: { state: string; reason: string } }>(`/api/calls/${ended.callId}`);
    assert.deepEqual([page.ran, page.undo.state], [false, 'unavailable']);
    assert.match(page.undo.reason, /before the tool was run, so it changed nothing/);
    assert.doesNotMatch(page.undo.reason, /rolled back/);
    const again = await box.call('mcp__bank__note', { amount: 7 }, { principal: bot, waitMs: 0 });
    assert.equal(again.outcome, 'completed');
    assert.equal((await get<{ ran: boolean }>(`/api/calls/${again.callId}`)).ran, true);
    assert.equal((await get<Approval>(`/api/approvals/${approvalIdOf(await pay(1))}`)).caller, 'gone');
  });
});

describe('policy change between approval and call', () => {
  const payRule = '- { id: pay, match: mcp__bank__pay, ask: true, reason: money }';
  const setRules = (box: InternalSignalbox, text: string): Promise<unknown> =>
    box.policies.set([{ file: 'p.yaml', text }]);

  test('an unrelated rule does not void an approval', async (t) => {
    const { box, pay, approve, paid } = await startBank(t, payRule);
    const id = approvalIdOf(await pay(5));
    await setRules(box, `${payRule}\n- { id: notes, match: mcp__bank__note, deny: true }`);
    assert.equal(approvalIdOf(await pay(5)), id, 'the request is the same');
    await approve(id);
    await setRules(box, `- { id: other, match: mcp__bank__other, deny: true }\n${payRule}`);
    assert.equal((await pay(5)).outcome, 'completed');
    assert.deepEqual(paid, [5]);
  });

  test('a rule with another reason or another text voids the approval, and the next request names the rule', async (t) => {
    const { box, pay, approve, paid } = await startBank(t, payRule);
    const id = approvalIdOf(await pay(5));
    await approve(id);
    await setRules(box, `${payRule}\n- { id: night, match: mcp__bank__pay, ask: true, reason: it is late }`);
    const more = await box.approvals.get(approvalIdOf(await pay(5)));
    assert.match(more.note ?? '', new RegExp(`^${id} was approved, but "night" did not ask then`));
    await setRules(box, payRule.replace('money', 'other money'));
    const changed = await box.approvals.get(approvalIdOf(await pay(5)));
    assert.match(changed.note ?? '', /"pay" did not ask then, or has changed since/);
    await setRules(box, '- { id: pay, match: mcp__bank__pay, deny: true }');
    assert.equal((await pay(5)).outcome, 'denied');
    assert.deepEqual(paid, []);
    // An approval that covers both reasons also covers one of them.
    await approve(more.id);
    await setRules(box, payRule);
    assert.equal((await pay(5)).outcome, 'completed');
  });

  test('an approval during a policy change runs the waiting call only if it still answers the rules', async (t) => {
    const { box, pay, approve, paid } = await startBank(t, payRule);
    const waiting = pay(5, { waitMs: 90_000 });
    const { id } = await approvalRequest(box, waiting);
    await setRules(box, `${payRule}\n- { id: night, match: mcp__bank__pay, ask: true, reason: it is late }`);
    const next = approvalRequest(box, waiting);
    await approve(id);
    const { id: second, decision } = await next;
    assert.deepEqual(paid, []);
    assert.equal(decision.asks?.length, 2);
    await setRules(box, `${payRule}\n- { id: notes, match: mcp__bank__note, deny: true }`);
    await approve(second);
    assert.equal((await waiting).outcome, 'completed');
  });
});
