import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { testSource, testTool } from '../../test/support/boxes/test-source.ts';
import type { SourceTool } from '../catalog/source/source.ts';
import type { ToolInvoked } from '../journal/entries/journal-event.ts';
import { type CallOptions, type Effect, type SignalboxOptions } from '../index.ts';
import type { BeginResult } from './begin-call.ts';

const done = { outcome: 'completed', content: [{ type: 'text', text: 'done' }] } as const;
const failed = { outcome: 'failed', content: [{ type: 'text', text: 'no room' }] } as const;
const cancelled = { outcome: 'cancelled', content: [] } as const;

function external(name: string, effect: Effect): SourceTool {
  const run = (): never => assert.fail(`${name} is not run by the pipeline`);
  return testTool(name, { effect, isExternal: true, inputSchema: { type: 'object' }, run });
}

const tools = [
  external('read', 'read'),
  external('write', 'undoable'),
  external('shell', 'irreversible'),
  testTool('ordinary'),
];

async function openBox(
  t: TestContext,
  options: SignalboxOptions = {},
): Promise<{ box: InternalSignalbox; workspace: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-begin-'));
  const workspace = join(directory, 'work');
  mkdirSync(workspace);
  const box = await openSignalbox({
    servers: [testSource('agent', tools)],
    approve: () => ({ allow: true }),
    data: join(directory, 'data'),
    ...options,
  });
  t.after(async () => {
    await box.close({ graceMs: 0 });
    rmSync(directory, { recursive: true });
  });
  return { box, workspace };
}

function allowed(begun: BeginResult): Extract<BeginResult, { allowed: true }> {
  assert.ok(begun.allowed, 'result' in begun ? JSON.stringify(begun.result) : '');
  return begun;
}

function refused(begun: BeginResult): Extract<BeginResult, { allowed: false }>['result'] {
  assert.ok(!begun.allowed);
  return begun.result;
}

async function outcomes(box: InternalSignalbox): Promise<readonly ToolInvoked[]> {
  const { items } = await box.journal.calls();
  return items.filter((item) => item.type === 'ToolInvoked');
}

describe('call that its caller runs', () => {
  test('is decided, approved and recorded before it may run, and its result is recorded when it ends', async (t) => {
    const { box } = await openBox(t);
    const begun = allowed(await box.begin('mcp__agent__shell', { command: 'ls' }, { session: 's' }));
    assert.deepEqual(begun.arguments, { command: 'ls' });
    const [intent] = (await box.journal.calls()).items;
    assert.deepEqual([intent?.type, intent?.callId], ['CallStarted', begun.callId]);
    const result = await begun.end(done);
    assert.deepEqual([result.outcome, result.callId, result.content], ['completed', begun.callId, done.content]);
    const [entry] = await outcomes(box);
    assert.deepEqual([entry?.outcome, entry?.output, entry?.decision?.answer], ['completed', 'done', 'ask']);
  });

  test('is refused with the outcome that is recorded', async (t) => {
    const { box } = await openBox(t, { approve: () => ({ allow: false, reason: 'not today' }) });
    const result = refused(await box.begin('mcp__agent__shell', {}));
    assert.equal(result.error?.code, 'approval-denied');
    assert.deepEqual(
      (await outcomes(box)).map(({ callId, outcome }) => [callId, outcome]),
      [[result.callId, 'denied']],
    );
  });

  test('is denied by policy like any other call', async (t) => {
    const policies = [{ id: 'no-shell', match: 'mcp__agent__shell', deny: true, reason: 'no shells' }];
    const { box } = await openBox(t, { policies });
    assert.equal(refused(await box.begin('mcp__agent__shell', {})).error?.code, 'policy-denied');
  });

  test('runs with the arguments that a human edited, as another call', async (t) => {
    const { box } = await openBox(t, { approve: () => ({ allow: true, arguments: { command: 'ls -l' } }) });
    const begun = allowed(await box.begin('mcp__agent__shell', { command: 'rm -r .' }));
    assert.deepEqual(begun.arguments, { command: 'ls -l' });
    const result = await begun.end(done);
    assert.deepEqual([result.callId, result.outcome], [begun.callId, 'completed']);
    const entries = await outcomes(box);
    assert.deepEqual(new Set(entries.map(({ error }) => error?.code)), new Set([undefined, 'arguments-edited']));
  });

  for (const result of [failed, cancelled])
    test(`ends as ${result.outcome}, and its changes are rolled back`, async (t) => {
      const { box, workspace } = await openBox(t);
      const file = join(workspace, 'a.txt');
      writeFileSync(file, 'before');
      const begun = allowed(await box.begin('mcp__agent__write', {}, { workspace: [workspace] }));
      writeFileSync(file, 'half');
      assert.equal((await begun.end(result)).outcome, result.outcome);
      assert.equal(readFileSync(file, 'utf8'), 'before');
    });

  test('can be undone', async (t) => {
    const { box, workspace } = await openBox(t);
    const file = join(workspace, 'a.txt');
    writeFileSync(file, 'before');
    const begun = allowed(await box.begin('mcp__agent__write', {}, { workspace: [workspace] }));
    writeFileSync(file, 'after');
    await begun.end(done);
    await box.undo.call(begun.callId);
    assert.equal(readFileSync(file, 'utf8'), 'before');
  });

  test('ends once: later results are ignored', async (t) => {
    const { box } = await openBox(t);
    const begun = allowed(await box.begin('mcp__agent__read', {}));
    const [first, second] = await Promise.all([begun.end(done), begun.end(failed)]);
    assert.deepEqual(second, first);
    assert.equal((await outcomes(box)).length, 1);
  });

  test('ends at its deadline, when it is aborted, and when the box closes', async (t) => {
    const { box } = await openBox(t);
    const abort = new AbortController();
    const late: CallOptions = { deadline: Date.now() + 500 };
    const begun = await Promise.all([
      box.begin('mcp__agent__read', {}, late),
      box.begin('mcp__agent__read', {}, { signal: abort.signal }),
      box.begin('mcp__agent__shell', {}),
    ]);
    const ids = begun.map((each) => allowed(each).callId);
    abort.abort();
    while ((await outcomes(box)).length < 2) await delay(10);
    const ended = new Map((await outcomes(box)).map(({ callId, outcome }) => [callId, outcome]));
    assert.deepEqual([ended.get(ids[0] ?? ''), ended.get(ids[1] ?? ''), ended.size], ['timed-out', 'cancelled', 2]);
    const [, , open] = begun;
    const closing = box.close({ graceMs: 0 });
    const last = open === undefined ? undefined : await allowed(open).end(done);
    await closing;
    assert.ok(last?.outcome === 'cancelled' || last?.outcome === 'completed');
    await assert.rejects(box.begin('mcp__agent__read', {}), { code: 'box-closed' });
  });

  test('is refused for a tool that Signalbox runs', async (t) => {
    const { box } = await openBox(t);
    assert.equal(refused(await box.begin('mcp__agent__ordinary', {})).error?.code, 'tool-hidden');
  });

  test('with a used idempotency key returns the outcome of the first call', async (t) => {
    const { box } = await openBox(t);
    const options = { idempotencyKey: 'k' };
    const first = await allowed(await box.begin('mcp__agent__shell', {}, options)).end(done);
    const second = refused(await box.begin('mcp__agent__shell', {}, options));
    assert.deepEqual([second.outcome, second.content], ['completed', first.content]);
  });
});
