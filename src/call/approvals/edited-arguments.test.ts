import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Approve,
  type CallResult,
  type Signalbox,
  type ToolInvoked,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';
import { createRedactor } from '../../journal/redaction.ts';
import type { JsonValue } from '../../model/json.ts';
import { configuredServer } from '../../catalog/transforms/configured-server.ts';
import { restoreRedacted } from './edited-arguments.ts';

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
  const shaping = { origin: 'x.json', arguments: { pay: { set: { currency: 'EUR' } } } };
  return createSignalbox({
    approve,
    servers: [configuredServer(localServer({ name: 'bank', tools: [pay] }), shaping)],
  });
}

async function last(box: Signalbox, call: string): Promise<ToolInvoked> {
  const entry = await box.journal.call(call);
  assert.ok(entry?.type === 'ToolInvoked');
  return entry;
}

describe('edit, then approve', () => {
  test('runs another call with the human’s arguments; the caller gets its result and learns what was edited', async () => {
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
    const [original, edited] = [await last(box, first), await last(box, result.callId)];
    assert.deepEqual(
      [original.outcome, original.error?.code, original.arguments],
      ['denied', 'arguments-edited', { amount: 5 }],
    );
    assert.match(original.error?.message ?? '', new RegExp(result.callId));
    assert.deepEqual([edited.outcome, edited.replaces, edited.arguments], ['completed', first, { amount: 3 }]);
    const [approval] = await box.approvals.list({ all: true });
    assert.deepEqual([approval?.state, approval?.usedBy], ['used', result.callId]);
    await box.close();
  });

  test('is checked like any other call: what does not fit is not run, and the next call asks again', async () => {
    let asked = 0;
    const box = await boxWith(({ arguments: args }) => {
      asked += 1;
      return { allow: true, arguments: { ...args, ...(asked === 1 ? { amount: 500 } : { currency: 'USD' }) } };
    });
    const tooMuch = await box.call('mcp__bank__pay', { amount: 5 });
    assert.deepEqual([tooMuch.outcome, tooMuch.error?.code], ['failed', 'arguments-invalid']);
    const fixed = await box.call('mcp__bank__pay', { amount: 5 });
    assert.match(fixed.error?.message ?? '', /"currency" cannot be given: its value is fixed/);
    assert.equal(asked, 2);
    await box.close();
  });

  test('a delivery with the same idempotency key gets the edited result, and nothing runs twice', async () => {
    const box = await boxWith(() => ({ allow: true, arguments: { amount: 3, currency: 'EUR' } }));
    const deliver = (): Promise<CallResult> => box.call('mcp__bank__pay', { amount: 5 }, { idempotencyKey: 'k' });
    assert.deepEqual((await deliver()).structuredContent, { paid: 3, currency: 'EUR' });
    assert.deepEqual((await deliver()).structuredContent, { paid: 3, currency: 'EUR' });
    const { items } = await box.journal.entries({ type: 'CallStarted' });
    assert.equal(items.length, 1);
    await box.close();
  });
});

describe('what a human could not see', () => {
  test('stays what it was wherever it is left as it was shown; a redacted value elsewhere is refused', () => {
    const redactor = createRedactor();
    redactor.add('TOKEN', 'the-secret-value');
    const value = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('the-secret-value', 'x the-secret-value', 'plain', 1, null, true),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'password'), tie('json'), { maxKeys: 3 }),
      ),
    })).json as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('k', 'l', 'm'), value), value, (original, other) => {
        const shown = JSON.parse(redactor.json(JSON.stringify(original))) as Record<string, JsonValue>;
        assert.deepEqual(restoreRedacted(shown, shown, original), original);
        const edited = { ...shown, added: JSON.parse(redactor.json(JSON.stringify(other))) as JsonValue };
        const moved = JSON.stringify(edited.added).includes('[redacted');
        if (moved) assert.throws(() => restoreRedacted(edited, shown, original), { code: 'edit-invalid' });
        else assert.deepEqual(restoreRedacted(edited, shown, original), { ...original, added: edited.added });
      }),
      { seed: 4, numRuns: 1000 },
    );
  });
});
