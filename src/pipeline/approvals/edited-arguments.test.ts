import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { approvalIdOf } from '../../../test/support/approval-id.ts';
import {
  type Approval,
  type Approve,
  type CallResult,
  type Signalbox,
  type ToolInvoked,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';
import type { Source } from '../../catalog/source/source.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { configuredServer } from '../../catalog/transforms/shaping/shape-source.ts';

const bot = { id: 'bot', kind: 'agent' } as const;
const alice = { id: 'alice', kind: 'human' } as const;
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  effect: 'irreversible',
  input: {
    type: 'object',
    properties: { amount: { type: 'number', maximum: 100 }, currency: { type: 'string' } },
    required: ['amount'],
  } as const,
  run: ({ amount, currency }) => ({ paid: amount, currency: currency ?? 'none' }),
});

async function boxWith(approve: Approve): Promise<Signalbox> {
  return createSignalbox({ approve, servers: [bank()] });
}

async function boxOn(data: string): Promise<Signalbox> {
  return createSignalbox({ data, servers: [bank()] });
}

function bank(): Source {
  const shaping = { origin: 'x.json', arguments: { pay: { set: { currency: 'EUR' } } } };
  return configuredServer(localServer({ name: 'bank', tools: [pay] }), shaping);
}

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-edits-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function outcomeOf(box: Signalbox, call: string): Promise<ToolInvoked> {
  const entry = await box.journal.call(call);
  assert.ok(entry?.type === 'ToolInvoked');
  return entry;
}

describe('approval with edited arguments', () => {
  test('runs another call with the human’s arguments, and returns its result with a note about the edit', async () => {
    let first = '';
    const box = await boxWith(({ callId, arguments: args }) => {
      first = callId;
      return { allow: true, by: alice, arguments: { ...args, amount: 3 } };
    });
    const result: CallResult = await box.call('mcp__bank__pay', { amount: 5 });
    assert.deepEqual([result.outcome, result.structuredContent], ['completed', { paid: 3, currency: 'EUR' }]);
    assert.deepEqual(result.content[0], {
      type: 'text',
      text: 'alice edited the arguments of mcp__bank__pay before approving it (amount: 5 → 3).',
    });
    assert.notEqual(result.callId, first);
    const [original, edited] = [await outcomeOf(box, first), await outcomeOf(box, result.callId)];
    assert.deepEqual(
      [original.outcome, original.error?.code, original.arguments, original.givenArguments],
      ['denied', 'arguments-edited', { amount: 5, currency: 'EUR' }, { amount: 5 }],
    );
    assert.match(original.error?.message ?? '', new RegExp(result.callId));
    assert.deepEqual(
      [edited.outcome, edited.replaces, edited.arguments, edited.givenArguments],
      ['completed', first, { amount: 3, currency: 'EUR' }, { amount: 3 }],
    );
    const [approval] = await box.approvals.list({ all: true });
    assert.deepEqual([approval?.state, approval?.usedBy], ['used', result.callId]);
    await box.close();
  });

  test('rejects arguments that the tool would not accept, and keeps the question open', async (t) => {
    const box = await boxOn(directoryFor(t));
    const first = await box.call('mcp__bank__pay', { amount: 5 }, { waitMs: 0 });
    const approve = (args: JsonObject): Promise<Approval> =>
      box.approvals.approve(approvalIdOf(first), { by: alice, arguments: args });
    const invalid = (message: RegExp) => ({ code: 'edit-invalid', message });
    await assert.rejects(approve({ amount: 500, currency: 'EUR' }), invalid(/schema of mcp__bank__pay: .*amount/));
    await assert.rejects(approve({ currency: 'EUR' }), invalid(/amount/));
    await assert.rejects(approve({ amount: 5, currency: 'USD' }), invalid(/"currency" cannot be given/));
    assert.equal((await approve({ amount: 50, currency: 'EUR' })).state, 'approved');
    assert.deepEqual((await box.call('mcp__bank__pay', { amount: 5 })).structuredContent, {
      paid: 50,
      currency: 'EUR',
    });
    await box.close();

    const asking = await boxWith(({ arguments: args }) => ({ allow: true, arguments: { ...args, amount: 500 } }));
    const { error } = await asking.call('mcp__bank__pay', { amount: 5 });
    assert.equal(error?.code, 'approval-failed');
    assert.match(error?.message ?? '', /do not match the schema/);
    await asking.close();
  });

  test('validates on the run where the approver’s process does not know the tool: an invalid edit does not run, and the next call asks again', async (t) => {
    const data = directoryFor(t);
    const box = await boxOn(data);
    const inbox = await createSignalbox({ data });
    const pay5 = (): Promise<CallResult> => box.call('mcp__bank__pay', { amount: 5 }, { waitMs: 0 });
    const first = await pay5();
    await inbox.approvals.approve(approvalIdOf(first), { by: alice, arguments: { amount: 500, currency: 'EUR' } });
    const tooMuch = await pay5();
    assert.deepEqual([tooMuch.outcome, tooMuch.error?.code], ['failed', 'arguments-invalid']);
    const again = await pay5();
    assert.deepEqual([again.outcome, approvalIdOf(again) === approvalIdOf(first)], ['awaiting-approval', false]);
    await inbox.close();
    await box.close();
  });

  test('runs the repeated call as edited, never as requested, and is not remembered', async (t) => {
    const data = directoryFor(t);
    const written: string[] = [];
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      effect: 'undoable',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
      run: ({ text }) => {
        written.push(text);
        return 'written';
      },
    });
    const box = await createSignalbox({ data, servers: [localServer({ name: 'notes', tools: [write] })] });
    const call = (text: string): Promise<CallResult> =>
      box.call('mcp__notes__write', { text }, { session: 's', principal: bot, waitMs: 0 });
    const id = approvalIdOf(await call('bad'));
    const { answer } = await box.approvals.approve(id, { by: alice, arguments: { text: 'good' }, remember: 'tool' });
    assert.match(answer?.notRemembered ?? '', /edited arguments cannot be remembered/);
    assert.deepEqual(await box.approvals.rules(), []);
    assert.equal((await call('bad')).outcome, 'completed');
    assert.deepEqual(written, ['good']);
    const asked = await call('bad');
    assert.equal(asked.outcome, 'awaiting-approval');

    // A remembered rule of another call does not bypass the edit either.
    await box.approvals.approve(approvalIdOf(asked), { by: alice, arguments: { text: 'better' } });
    const other = await call('other');
    await box.approvals.approve(approvalIdOf(other), { by: alice, remember: 'session' });
    assert.equal((await box.approvals.rules()).length, 1);
    await call('bad');
    assert.deepEqual(written, ['good', 'better']);
    await box.close();
  });

  test('returns the edited result to a repeated delivery with the same idempotency key, and runs once', async () => {
    const box = await boxWith(() => ({ allow: true, arguments: { amount: 3, currency: 'EUR' } }));
    const deliver = (): Promise<CallResult> => box.call('mcp__bank__pay', { amount: 5 }, { idempotencyKey: 'k' });
    assert.deepEqual((await deliver()).structuredContent, { paid: 3, currency: 'EUR' });
    assert.deepEqual((await deliver()).structuredContent, { paid: 3, currency: 'EUR' });
    const { items } = await box.journal.query({ type: 'CallStarted' });
    assert.equal(items.length, 1);
    await box.close();
  });
});
