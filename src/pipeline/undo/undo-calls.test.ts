import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { treeFingerprint } from '../../../test/support/undo/tree-fingerprint.ts';
import {
  type AnyTool,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-undo-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let directories = 0;

interface UndoBox extends AsyncDisposable {
  readonly box: Signalbox;
  readonly data: string;
  readonly workspace: string;
}

async function openBox(tools: (workspace: string) => AnyTool[], more: SignalboxOptions = {}): Promise<UndoBox> {
  const directory = join(scratch, String(directories++));
  const [data, workspace] = [join(directory, 'data'), join(directory, 'workspace')];
  mkdirSync(workspace, { recursive: true });
  const servers = [localServer({ name: 't', tools: tools(workspace), workspace: [workspace] })];
  const box = await createSignalbox({ data, servers, approve: () => ({ allow: true }), ...more });
  return { box, data, workspace, [Symbol.asyncDispose]: () => box.close() };
}

const input = {
  type: 'object',
  properties: { file: { type: 'string' }, text: { type: 'string' } },
  required: ['file', 'text'],
} as const;

const writingTool = (workspace: string): AnyTool =>
  defineTool({
    name: 'write',
    description: 'Writes a file.',
    effect: 'undoable',
    input,
    run: ({ file, text }) => writeFileSync(join(workspace, file), text),
  });

const failingTool = (workspace: string, then: (signal: AbortSignal) => unknown): AnyTool =>
  defineTool({
    name: 'spoil',
    description: 'Changes files and does not complete.',
    effect: 'undoable',
    run(_, { signal, state }) {
      state.set('step', 'spoiled');
      writeFileSync(join(workspace, 'a.txt'), 'spoiled');
      mkdirSync(join(workspace, 'created'));
      return then(signal);
    },
  });

describe('undoable calls', () => {
  test('report their changes, and an undo reverts exactly those, once', async () => {
    await using opened = await openBox((workspace) => [writingTool(workspace)]);
    const { box, workspace } = opened;
    writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n');
    writeFileSync(join(workspace, 'other.txt'), 'other');
    const before = treeFingerprint(workspace);
    const result = await box.call('mcp__t__write', { file: 'a.txt', text: 'one\nthree\n' });
    assert.equal(result.outcome, 'completed');
    assert.deepEqual(
      result.changes?.map(({ path, kind }) => [path, kind]),
      [['a.txt', 'modified']],
    );
    assert.match(
      result.changes?.[0]?.diff ?? '',
      /^--- a\/a\.txt.*\n\+\+\+ b\/a\.txt.*\n@@.*\n one\n-two\n\+three\n$/s,
    );

    const undone = await box.undo.call(result.callId);
    assert.equal(undone.outcome, 'undone');
    assert.deepEqual(treeFingerprint(workspace), before);
    await assert.rejects(box.undo.call(result.callId), { code: 'undo-done' });
    await assert.rejects(box.undo.call('call_none'), { code: 'call-unknown' });

    const invoked = await box.journal.call(result.callId);
    assert.ok(invoked?.type === 'ToolInvoked');
    assert.deepEqual(invoked.changes, result.changes);
    const { items } = await box.journal.query({ type: 'Undone' });
    assert.deepEqual(
      items.map((event) => event.type === 'Undone' && [event.callId, event.result, event.changes]),
      [[result.callId, 'undone', 1]],
    );
  });

  test('conflict with a later edit: nothing is overwritten, and the rest is undone only on request', async () => {
    await using opened = await openBox((workspace) => [
      defineTool({
        name: 'two',
        description: 'Writes two files.',
        effect: 'undoable',
        run() {
          writeFileSync(join(workspace, 'a.txt'), 'by the call');
          writeFileSync(join(workspace, 'b.txt'), 'by the call');
        },
      }),
    ]);
    const { box, workspace } = opened;
    writeFileSync(join(workspace, 'a.txt'), 'before');
    const { callId } = await box.call('mcp__t__two');
    writeFileSync(join(workspace, 'a.txt'), 'by a human');

    const refused = await box.undo.call(callId);
    assert.equal(refused.outcome, 'conflict');
    assert.deepEqual(
      refused.conflicts.map(({ path, reason }) => [path, reason]),
      [['a.txt', 'it was changed since the call']],
    );
    assert.ok(existsSync(join(workspace, 'b.txt')), 'nothing was touched');

    const partly = await box.undo.call(callId, { partial: true });
    assert.equal(partly.outcome, 'partly-undone');
    assert.ok(!existsSync(join(workspace, 'b.txt')));
    assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'by a human');
  });

  for (const [name, then, options] of [
    ['failed', () => Promise.reject(new Error('no')), {}],
    ['timed-out', (signal: AbortSignal) => delay(60_000, undefined, { signal }), { deadline: () => Date.now() + 1000 }],
    [
      'cancelled',
      (signal: AbortSignal) => delay(60_000, undefined, { signal }),
      { signal: () => AbortSignal.timeout(1000) },
    ],
  ] as const) {
    test(`that end as ${name} are rolled back, including session state`, async () => {
      await using opened = await openBox((workspace) => [
        failingTool(workspace, then),
        defineTool({ name: 'nothing', description: 'Does nothing.', effect: 'undoable', run: () => 'ok' }),
        defineTool({
          name: 'step',
          description: 'Reads the state.',
          effect: 'read',
          run: (_, { state }) => state.get('step') ?? 'none',
        }),
      ]);
      const { box, workspace } = opened;
      writeFileSync(join(workspace, 'a.txt'), 'before');
      const before = treeFingerprint(workspace);
      // Starts the thread that stores workspaces, so that its start does not use up the deadline.
      await box.call('mcp__t__nothing');
      const result = await box.call(
        'mcp__t__spoil',
        {},
        {
          session: 's',
          ...('deadline' in options ? { deadline: options.deadline() } : {}),
          ...('signal' in options ? { signal: options.signal() } : {}),
        },
      );
      assert.equal(result.outcome, name);
      assert.deepEqual(treeFingerprint(workspace), before);
      assert.match(result.error?.message ?? '', /2 changes in its workspace were rolled back/);
      const step = await box.call('mcp__t__step', {}, { session: 's' });
      assert.deepEqual(step.content, [{ type: 'text', text: 'none' }]);
    });
  }

  test('do not run when the state before them cannot be stored', async () => {
    await using opened = await openBox((workspace) => [writingTool(workspace)], { undo: { maxFiles: 3 } });
    const { box, workspace } = opened;
    for (const name of ['a', 'b', 'c']) writeFileSync(join(workspace, name), name);
    const result = await box.call('mcp__t__write', { file: 'a', text: 'changed' });
    assert.equal(result.error?.code, 'checkpoint-failed');
    assert.match(result.error?.message ?? '', /exceeds the undo limits of 3 entries/);
    assert.equal(readFileSync(join(workspace, 'a'), 'utf8'), 'a');
  });

  test('run one after another in a workspace, and each is undone without the others', async () => {
    await using opened = await openBox((workspace) => [writingTool(workspace)]);
    const { box, workspace } = opened;
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((file) => box.call('mcp__t__write', { file, text: file })),
    );
    assert.deepEqual(
      results.map(({ changes }) => changes?.map(({ path }) => path)),
      [['a'], ['b'], ['c'], ['d']],
    );
    await box.undo.call(results[1]?.callId ?? '');
    assert.deepEqual(readdirSync(workspace).toSorted(), ['a', 'c', 'd']);
  });

  test('of a session are undone from the last to the first', async () => {
    await using opened = await openBox((workspace) => [writingTool(workspace)]);
    const { box, workspace } = opened;
    writeFileSync(join(workspace, 'a'), 'before');
    const before = treeFingerprint(workspace);
    const calls = [];
    for (const text of ['one', 'two', 'three'])
      calls.push(await box.call('mcp__t__write', { file: 'a', text }, { session: 's' }));
    const conflict = await box.undo.call(calls[0]?.callId ?? '');
    assert.equal(conflict.outcome, 'conflict', 'a later call changed the same file');
    const undone = await box.undo.session('s');
    assert.deepEqual(
      undone.map(({ callId }) => callId),
      calls.map(({ callId }) => callId).toReversed(),
    );
    assert.deepEqual(treeFingerprint(workspace), before);
  });

  test('store nothing when they only read', async () => {
    await using opened = await openBox(() => [
      defineTool({ name: 'look', description: 'Reads.', effect: 'read', run: () => 'seen' }),
    ]);
    await opened.box.call('mcp__t__look');
    assert.ok(!existsSync(join(opened.data, 'undo')));
  });

  test('can be undone by a later process', async () => {
    const first = await openBox((workspace) => [writingTool(workspace)]);
    writeFileSync(join(first.workspace, 'a'), 'before');
    const before = treeFingerprint(first.workspace);
    const { callId } = await first.box.call('mcp__t__write', { file: 'a', text: 'after' });
    await first.box.close();
    const second = await createSignalbox({ data: first.data });
    assert.equal((await second.undo.call(callId)).outcome, 'undone');
    assert.deepEqual(treeFingerprint(first.workspace), before);
    await second.close();
  });
});

describe('compensations', () => {
  const compensable = (done: string[], run: () => unknown): AnyTool =>
    defineTool({
      name: 'order',
      description: 'Orders something.',
      input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const,
      run: ({ what }) => {
        done.push(`order ${what}`);
        return run();
      },
      undo: ({ what }) => void done.push(`cancel ${what}`),
    });

  test('run in reverse order, once', async () => {
    const done: string[] = [];
    await using opened = await openBox(() => [compensable(done, () => 'ok')]);
    const { box } = opened;
    for (const what of ['a', 'b']) await box.call('mcp__t__order', { what }, { session: 's' });
    await box.undo.session('s');
    assert.deepEqual(done, ['order a', 'order b', 'cancel b', 'cancel a']);
    assert.deepEqual(await box.undo.session('s'), []);
    const [last] = (await box.journal.calls({ session: 's' })).items;
    await assert.rejects(box.undo.call(last?.callId ?? ''), { code: 'undo-done' });
    assert.equal(done.length, 4);
  });

  test('run when a call fails that may have acted, and not when it never ran', async () => {
    const done: string[] = [];
    await using opened = await openBox(() => [compensable(done, () => Promise.reject(new Error('late')))]);
    const { box } = opened;
    const result = await box.call('mcp__t__order', { what: 'a' });
    assert.deepEqual(done, ['order a', 'cancel a']);
    assert.match(result.error?.message ?? '', /late\. Its own undo was run\./);
    await box.call('mcp__t__order', { what: 1 });
    await box.call('mcp__t__order', { what: 'b' }, { signal: AbortSignal.abort() });
    assert.equal(done.length, 2);
  });

  test('run with the recorded name and the state of the session', async () => {
    const sessions: unknown[] = [];
    const order = defineTool({
      name: 'order',
      description: 'Orders something.',
      input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const,
      run: ({ what }, { state }) => {
        if (what === 'none') throw new Error('no');
        state.set('last', what);
      },
      undo: (_, { session, state }) => void sessions.push([session, state.get('last')]),
    });
    await using opened = await openBox(() => [order], { secrets: { CARD: 'card-4711-0815' } });
    const { box } = opened;
    for (const what of ['a', 'none']) await box.call('mcp__t__order', { what }, { session: 's card-4711-0815' });
    assert.deepEqual(sessions, [['s [redacted:CARD]', 'a']]);
    const { items } = await box.journal.query({ session: 's [redacted:CARD]', type: 'UndoStarted' });
    assert.equal(items.length, 1);
  });

  test('are refused for arguments that the journal does not contain in full', async () => {
    const done: string[] = [];
    await using opened = await openBox(() => [compensable(done, () => 'ok')], { secrets: { CARD: 'card-4711-0815' } });
    const { callId } = await opened.box.call('mcp__t__order', { what: 'with card-4711-0815' });
    const { outcome, error } = await opened.box.undo.call(callId);
    assert.equal(outcome, 'failed');
    assert.match(error ?? '', /are not recorded in full/);
    assert.equal(done.length, 1);
  });

  test('are refused when a secret in the arguments was replaced without its name', async () => {
    const done: string[] = [];
    // The placeholder with the name would itself contain the secret.
    await using opened = await openBox(() => [compensable(done, () => 'ok')], { secrets: { CARD: 'CARD' } });
    const { callId } = await opened.box.call('mcp__t__order', { what: 'with CARD' });
    const { outcome, error } = await opened.box.undo.call(callId);
    assert.deepEqual([outcome, done.length], ['failed', 1]);
    assert.match(error ?? '', /are not recorded in full/);
  });

  test('run for arguments that only look redacted', async () => {
    const done: string[] = [];
    await using opened = await openBox(() => [compensable(done, () => 'ok')]);
    const { callId } = await opened.box.call('mcp__t__order', { what: 'an … ellipsis' });
    assert.equal((await opened.box.undo.call(callId)).outcome, 'undone');
  });
});
