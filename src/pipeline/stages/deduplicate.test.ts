import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Signalbox, createSignalbox, defineTool, localServer } from '../../index.ts';

let runs = 0;
const send = defineTool({
  name: 'send',
  description: 'Sends.',
  input: { type: 'object', properties: { to: { type: 'string' }, n: { type: 'number' } } },
  run: async ({ to }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    runs += 1;
    if (to === 'nobody') throw new Error('no such address');
    return { sent: runs };
  },
});

function open(data?: string, allow = true): Promise<Signalbox> {
  return createSignalbox({
    ...(data === undefined ? {} : { data }),
    servers: [localServer({ name: 'mail', tools: [send] })],
    approve: () => ({ allow }),
  });
}

describe('idempotency keys', () => {
  test('run concurrent and later deliveries once, whatever the order of their properties', async () => {
    runs = 0;
    const box = await open();
    const call = (args: object): ReturnType<Signalbox['call']> =>
      box.call('mcp__mail__send', args, { idempotencyKey: 'k1' });
    const concurrent = await Promise.all([
      call({ to: 'ann', n: 1 }),
      call({ n: 1, to: 'ann' }),
      call({ to: 'ann', n: 1 }),
    ]);
    const later = await call({ to: 'ann', n: 1 });
    assert.equal(runs, 1);
    assert.deepEqual(
      [...concurrent, later].map((result) => result.structuredContent),
      [{ sent: 1 }, { sent: 1 }, { sent: 1 }, { sent: 1 }],
    );
    assert.equal(
      new Set([...concurrent, later].map((result) => result.callId)).size,
      4,
      'each delivery is a separate call in the journal',
    );
    assert.equal((await box.journal.calls({ tool: 'mcp__mail__send' })).items.length, 4);
    await box.close();
  });

  test('reject the same key with different arguments, and are separate for each principal', async () => {
    runs = 0;
    const box = await open();
    await box.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' });
    const other = await box.call('mcp__mail__send', { to: 'bob' }, { idempotencyKey: 'k' });
    assert.deepEqual([other.outcome, other.error?.code, runs], ['failed', 'idempotency-conflict', 1]);
    await box.call(
      'mcp__mail__send',
      { to: 'ann' },
      { idempotencyKey: 'k', principal: { id: 'other', kind: 'agent' } },
    );
    assert.equal(runs, 2);
    await box.close();
  });

  test('store a failure as the outcome, and stay free when the call never ran', async () => {
    runs = 0;
    const refusing = await open(undefined, false);
    assert.equal((await refusing.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' })).outcome, 'denied');
    assert.equal((await refusing.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' })).outcome, 'denied');
    await refusing.close();
    const box = await open();
    for (let delivery = 0; delivery < 2; delivery++) {
      const result = await box.call('mcp__mail__send', { to: 'nobody' }, { idempotencyKey: 'k' });
      assert.match(result.error?.message ?? '', /no such address/);
    }
    assert.equal(runs, 1);
    await box.close();
  });

  test('find the outcome after a restart; an interrupted call is unknown and does not run again', async (t) => {
    runs = 0;
    const data = mkdtempSync(join(tmpdir(), 'signalbox-key-'));
    t.after(() => rmSync(data, { recursive: true }));
    const first = await open(data);
    await first.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' });
    await first.close();
    const second = await open(data);
    assert.deepEqual((await second.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' })).structuredContent, {
      sent: 1,
    });
    assert.equal(runs, 1);
    await second.close();
    // A crash between intent and outcome leaves a key that was taken and never settled.
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(data, 'signalbox.db'));
    database.exec('UPDATE claims SET outcome = NULL');
    database.close();
    const third = await open(data);
    const result = await third.call('mcp__mail__send', { to: 'ann' }, { idempotencyKey: 'k' });
    assert.deepEqual([result.outcome, result.error?.code, runs], ['unknown', 'outcome-lost', 1]);
    await third.close();
  });
});
