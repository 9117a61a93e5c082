import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CallResult,
  type JournalEvent,
  type Signalbox,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';
import { OutcomeUnknownError } from '../../core/tools/source-errors.ts';

const alice = { id: 'alice', kind: 'human' } as const;
const bot = { id: 'bot', kind: 'agent' } as const;
const send = defineTool({
  name: 'send',
  description: 'x',
  input: { type: 'object' },
  run: () => {
    throw new OutcomeUnknownError('the connection broke');
  },
});
const look = defineTool({ name: 'look', description: 'x', effect: 'read', run: () => 'seen' });

async function boxWithUnknownCall(): Promise<{
  box: Signalbox;
  unknown: CallResult;
  deliver: () => Promise<CallResult>;
}> {
  const box = await createSignalbox({
    servers: [localServer({ name: 't', tools: [send, look] })],
    approve: () => ({ allow: true }),
  });
  const deliver = (): Promise<CallResult> => box.call('mcp__t__send', {}, { idempotencyKey: 'k', session: 's' });
  const unknown = await deliver();
  assert.equal(unknown.outcome, 'unknown');
  return { box, unknown, deliver };
}

describe('settleCall', () => {
  test('records the settlement with author and note, shows it with the call, and returns it to repeated deliveries', async () => {
    for (const as of ['completed', 'failed'] as const) {
      const { box, unknown, deliver } = await boxWithUnknownCall();
      const events: JournalEvent[] = [];
      box.on('CallSettled', (event) => events.push(event));
      assert.equal((await deliver()).outcome, 'unknown');
      await box.journal.settle(unknown.callId, { as, by: alice, note: 'confirmed by the receiver' });
      const call = await box.journal.call(unknown.callId);
      assert.ok(call?.type === 'ToolInvoked' && call.outcome === 'unknown', 'the recorded outcome is unchanged');
      const { at, ...settled } = call.settled ?? { at: '' };
      assert.deepEqual(settled, { as, by: alice, note: 'confirmed by the receiver' });
      assert.match(at, /^\d{4}-/);
      const { items } = await box.journal.calls({ outcome: 'unknown' });
      assert.deepEqual(items.at(-1), call);
      assert.equal(events.length, 1);
      const again = await deliver();
      assert.deepEqual([again.outcome, again.error?.code], [as, as === 'failed' ? 'settled-failed' : undefined]);
      assert.match(JSON.stringify(again.content), /settled it as .* confirmed by the receiver/);
      assert.ok((await box.journal.verify()).ok);
      await box.close();
    }
  });

  test('accepts one settlement by a human, only for a call whose outcome is unknown', async () => {
    const { box, unknown } = await boxWithUnknownCall();
    const settle = (id: string, by: typeof alice | typeof bot = alice): Promise<void> =>
      box.journal.settle(id, { as: 'completed', by });
    await assert.rejects(settle(unknown.callId, bot), { code: 'approver-refused' });
    await assert.rejects(settle('call_none'), { code: 'call-unknown' });
    const known = await box.call('mcp__t__look');
    await assert.rejects(settle(known.callId), { code: 'call-settled', message: /is "completed"; only/ });
    const [first, second] = await Promise.allSettled([settle(unknown.callId), settle(unknown.callId)]);
    assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected']);
    await assert.rejects(settle(unknown.callId), { message: /already settled as completed by alice at / });
    assert.equal((await box.journal.query({ type: 'CallSettled' })).items.length, 1);
    await box.close();
  });
});
