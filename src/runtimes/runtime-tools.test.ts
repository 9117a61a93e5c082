import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Approve } from '../core/calls/approval.ts';
import { runtimeTools } from './runtime-tools.ts';
import type { RuntimeToolCall, TurnTools } from './runtime.ts';
import { turnTools } from './turn-tools.ts';

const approveAll: Approve = () => ({ allow: true });

async function openTools(
  t: TestContext,
  approve: Approve = approveAll,
): Promise<{ box: InternalSignalbox; tools: TurnTools; cwd: string }> {
  const own = runtimeTools('claude');
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-own-'));
  const cwd = join(directory, 'work');
  mkdirSync(cwd);
  const box = await openSignalbox({ servers: [own], approve, data: join(directory, 'data') });
  t.after(async () => {
    await box.close({ graceMs: 0 });
    rmSync(directory, { recursive: true });
  });
  const principal = { id: 'agent', kind: 'agent' } as const;
  return { box, cwd, tools: turnTools({ box, own, session: 's', principal, permissionMode: 'default', cwd }) };
}

const bash = { name: 'Bash', effect: 'irreversible' } as const;
const write = { name: 'Write', effect: 'undoable' } as const;
const read = { name: 'Read', effect: 'read' } as const;

function assertAllowed(call: RuntimeToolCall): Extract<RuntimeToolCall, { allowed: true }> {
  assert.ok(call.allowed, 'reason' in call ? call.reason : '');
  return call;
}

describe('a call of a runtime’s own tool', () => {
  test('is decided, approved and recorded with its result', async (t) => {
    const approvals: unknown[] = [];
    const { box, tools } = await openTools(t, (request) => {
      approvals.push([request.tool.name, request.arguments]);
      return { allow: true };
    });
    const call = assertAllowed(await tools.begin(bash, { command: 'ls' }, { toolCallId: '1' }));
    assert.deepEqual(call.arguments, { command: 'ls' });
    assert.deepEqual(approvals, [['mcp__claude__Bash', { command: 'ls' }]]);
    const [running] = (await box.journal.calls()).items;
    assert.equal(running?.type, 'CallStarted', 'the intent is recorded before it runs');
    await call.end({ outcome: 'completed', output: 'a.txt' });
    const entry = (await box.journal.calls()).items.find((item) => item.type === 'ToolInvoked');
    assert.deepEqual(
      [entry?.tool, entry?.adapter, entry?.outcome, entry?.output, entry?.sessionId],
      ['mcp__claude__Bash', 'runtime:claude', 'completed', 'a.txt', 's'],
    );
  });

  test('does not run when refused, with the reason', async (t) => {
    const { tools } = await openTools(t, () => ({ allow: false, reason: 'no shell today' }));
    const call = await tools.begin(bash, { command: 'ls' }, { toolCallId: '1' });
    assert.ok(!call.allowed);
    assert.match(call.reason, /no shell today/);
  });

  test('runs with the arguments that a human edited', async (t) => {
    const { box, tools } = await openTools(t, () => ({ allow: true, arguments: { command: 'ls -l' } }));
    const call = assertAllowed(await tools.begin(bash, { command: 'rm -r .' }, { toolCallId: '1' }));
    assert.deepEqual(call.arguments, { command: 'ls -l' });
    await call.end({ outcome: 'completed', output: 'listed' });
    const { items } = await box.journal.calls();
    const ran = items.filter((item) => item.type === 'ToolInvoked' && item.outcome === 'completed');
    assert.deepEqual(
      ran.map((item) => item.type === 'ToolInvoked' && item.arguments),
      [{ command: 'ls -l' }],
    );
  });

  for (const outcome of ['failed', 'cancelled'] as const) {
    test(`is recorded as ${outcome}`, async (t) => {
      const { box, tools } = await openTools(t);
      const call = assertAllowed(await tools.begin(read, { path: 'x' }, { toolCallId: '1' }));
      await call.end({ outcome, output: 'failure' });
      const entry = (await box.journal.calls()).items.find((item) => item.type === 'ToolInvoked');
      assert.equal(entry?.outcome, outcome);
    });
  }

  test('records its changes in the directory of the session, and can be undone', async (t) => {
    const { box, tools, cwd } = await openTools(t);
    const file = join(cwd, 'a.txt');
    writeFileSync(file, 'before\n');
    const call = assertAllowed(await tools.begin(write, { file_path: file }, { toolCallId: '1' }));
    writeFileSync(file, 'after\n');
    await call.end({ outcome: 'completed', output: 'written' });
    const entry = (await box.journal.calls()).items.find((item) => item.type === 'ToolInvoked');
    assert.deepEqual(
      entry?.changes?.map(({ path, kind }) => [path, kind]),
      [['a.txt', 'modified']],
    );
    await box.undo.call(entry.callId);
    assert.equal(readFileSync(file, 'utf8'), 'before\n');
  });

  test('is rolled back when it failed', async (t) => {
    const { tools, cwd } = await openTools(t);
    const file = join(cwd, 'a.txt');
    writeFileSync(file, 'before\n');
    const call = assertAllowed(await tools.begin(write, {}, { toolCallId: '1' }));
    writeFileSync(file, 'half');
    await call.end({ outcome: 'failed', output: 'no room' });
    assert.equal(readFileSync(file, 'utf8'), 'before\n');
  });

  test('does not run when the turn is interrupted during the approval', async (t) => {
    const interrupt = new AbortController();
    const { tools } = await openTools(t, () => {
      interrupt.abort();
      return new Promise(() => undefined);
    });
    const call = await tools.begin(bash, {}, { toolCallId: '1', signal: interrupt.signal });
    assert.ok(!call.allowed);
    assert.match(call.reason, /cancelled/);
  });

  test('does not run when the box is closed', async (t) => {
    const { box, tools } = await openTools(t);
    await box.close();
    const call = await tools.begin(read, {}, { toolCallId: '1' });
    assert.ok(!call.allowed);
    assert.match(call.reason, /closed/);
  });

  test('is not listed, and cannot be made outside the runtime', async (t) => {
    const { box, tools } = await openTools(t);
    await assertAllowed(await tools.begin(read, {}, { toolCallId: '1' })).end({ outcome: 'completed', output: '' });
    assert.ok(!box.tools().some(({ name }) => name.includes('claude')));
    assert.ok(!box.catalog().servers.some(({ name }) => name === 'claude'));
    const { outcome, error } = await box.call('mcp__claude__Read', {});
    assert.equal(outcome, 'failed');
    assert.match(error?.message ?? '', /run by claude itself/);
  });

  test('is not allowed by a call from outside during its approval', async (t) => {
    let forged: string | undefined;
    const { box, tools } = await openTools(t, async ({ principal, session }) => {
      forged = (
        await box.call('mcp__claude__Read', { path: 'forged' }, { principal: { ...principal }, session: session ?? '' })
      ).outcome;
      return { allow: false };
    });
    await assertAllowed(await tools.begin(read, {}, { toolCallId: '1' })).end({ outcome: 'completed', output: '' });
    const call = await tools.begin(bash, { command: 'rm' }, { toolCallId: '2' });
    assert.deepEqual([forged, call.allowed], ['failed', false]);
  });

  test('has its own arguments and result among concurrent calls', async (t) => {
    const { box, tools } = await openTools(t);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }), async (delays) => {
        const session = (run += 1);
        await Promise.all(
          delays.map(async (delay, index) => {
            const mark = `${session}:${index}`;
            const call = assertAllowed(
              await tools.begin(index % 2 === 0 ? read : bash, { mark }, { toolCallId: mark }),
            );
            assert.deepEqual(call.arguments, { mark });
            for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
            await call.end({ outcome: 'completed', output: mark });
          }),
        );
      }),
      { numRuns: 20, seed: 4711 },
    );
    const { items } = await box.journal.calls({ limit: 500 });
    const entries = items.filter((item) => item.type === 'ToolInvoked');
    assert.ok(entries.length > 20);
    for (const { arguments: args, output } of entries) assert.equal(output, args['mark']);
  });
});
