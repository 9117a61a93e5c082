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
import type { BegunCall, TurnTools } from './runtime.ts';
import { turnTools } from './turn-tools.ts';

const allow: Approve = () => ({ allow: true });

async function opened(
  t: TestContext,
  approve: Approve = allow,
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

function allowed(call: BegunCall): Extract<BegunCall, { allowed: true }> {
  assert.ok(call.allowed, 'reason' in call ? call.reason : '');
  return call;
}

describe('a call of a tool that the runtime runs itself', () => {
  test('is decided and asked for, and recorded with what came of it', async (t) => {
    const asked: unknown[] = [];
    const { box, tools } = await opened(t, (request) => {
      asked.push([request.tool.name, request.arguments]);
      return { allow: true };
    });
    const call = allowed(await tools.begin(bash, { command: 'ls' }, { toolCallId: '1' }));
    assert.deepEqual(call.arguments, { command: 'ls' });
    assert.deepEqual(asked, [['mcp__claude__Bash', { command: 'ls' }]]);
    const [running] = (await box.journal.calls()).items;
    assert.equal(running?.type, 'CallStarted', 'the intent is recorded before it runs');
    await call.end({ outcome: 'completed', output: 'a.txt' });
    const entry = (await box.journal.calls()).items.find((item) => item.type === 'ToolInvoked');
    assert.deepEqual(
      [entry?.tool, entry?.adapter, entry?.outcome, entry?.output, entry?.sessionId],
      ['mcp__claude__Bash', 'runtime:claude', 'completed', 'a.txt', 's'],
    );
  });

  test('may not run when it is refused, and the reason is told', async (t) => {
    const { tools } = await opened(t, () => ({ allow: false, reason: 'no shell today' }));
    const call = await tools.begin(bash, { command: 'ls' }, { toolCallId: '1' });
    assert.ok(!call.allowed);
    assert.match(call.reason, /no shell today/);
  });

  test('runs with the arguments that the human made of them', async (t) => {
    const { box, tools } = await opened(t, () => ({ allow: true, arguments: { command: 'ls -l' } }));
    const call = allowed(await tools.begin(bash, { command: 'rm -r .' }, { toolCallId: '1' }));
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
    test(`that ended as ${outcome} is recorded so`, async (t) => {
      const { box, tools } = await opened(t);
      const call = allowed(await tools.begin(read, { path: 'x' }, { toolCallId: '1' }));
      await call.end({ outcome, output: 'it went wrong' });
      const entry = (await box.journal.calls()).items.find((item) => item.type === 'ToolInvoked');
      assert.equal(entry?.outcome, outcome);
    });
  }

  test('that writes in the session’s directory tells what it changed, and can be undone', async (t) => {
    const { box, tools, cwd } = await opened(t);
    const file = join(cwd, 'a.txt');
    writeFileSync(file, 'before\n');
    const call = allowed(await tools.begin(write, { file_path: file }, { toolCallId: '1' }));
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

  test('that failed is rolled back', async (t) => {
    const { tools, cwd } = await opened(t);
    const file = join(cwd, 'a.txt');
    writeFileSync(file, 'before\n');
    const call = allowed(await tools.begin(write, {}, { toolCallId: '1' }));
    writeFileSync(file, 'half');
    await call.end({ outcome: 'failed', output: 'no room' });
    assert.equal(readFileSync(file, 'utf8'), 'before\n');
  });

  test('is not run when the turn is interrupted while its approval is awaited', async (t) => {
    const interrupt = new AbortController();
    const { tools } = await opened(t, () => {
      interrupt.abort();
      return new Promise(() => undefined);
    });
    const call = await tools.begin(bash, {}, { toolCallId: '1', signal: interrupt.signal });
    assert.ok(!call.allowed);
    assert.match(call.reason, /cancelled/);
  });

  test('is not run when the box is closed', async (t) => {
    const { box, tools } = await opened(t);
    await box.close();
    const call = await tools.begin(read, {}, { toolCallId: '1' });
    assert.ok(!call.allowed);
    assert.match(call.reason, /closed/);
  });

  test('is told to nobody else, and cannot be made from elsewhere', async (t) => {
    const { box, tools } = await opened(t);
    await allowed(await tools.begin(read, {}, { toolCallId: '1' })).end({ outcome: 'completed', output: '' });
    assert.ok(!box.tools().some(({ name }) => name.includes('claude')));
    assert.ok(!box.catalog().servers.some(({ name }) => name === 'claude'));
    const { outcome, error } = await box.call('mcp__claude__Read', {});
    assert.equal(outcome, 'failed');
    assert.match(error?.message ?? '', /run by claude itself/);
  });

  test('is not let through by another call that is made while its approval is awaited', async (t) => {
    let elsewhere: string | undefined;
    const { box, tools } = await opened(t, async ({ principal, session }) => {
      elsewhere = (
        await box.call('mcp__claude__Read', { path: 'forged' }, { principal: { ...principal }, session: session ?? '' })
      ).outcome;
      return { allow: false };
    });
    await allowed(await tools.begin(read, {}, { toolCallId: '1' })).end({ outcome: 'completed', output: '' });
    const call = await tools.begin(bash, { command: 'rm' }, { toolCallId: '2' });
    assert.deepEqual([elsewhere, call.allowed], ['failed', false]);
  });

  test('keeps its own arguments and its own end among many', async (t) => {
    const { box, tools } = await opened(t);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 12 }), async (waits) => {
        const session = (run += 1);
        await Promise.all(
          waits.map(async (wait, index) => {
            const mark = `${session}:${index}`;
            const call = allowed(await tools.begin(index % 2 === 0 ? read : bash, { mark }, { toolCallId: mark }));
            assert.deepEqual(call.arguments, { mark });
            for (let turn = 0; turn < wait; turn += 1) await Promise.resolve();
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
