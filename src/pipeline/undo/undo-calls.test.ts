import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { treeFingerprint } from '../../../test/support/tree-fingerprint.ts';
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
let places = 0;

interface Opened extends AsyncDisposable {
  readonly box: Signalbox;
  readonly data: string;
  readonly workspace: string;
}

async function opened(tools: (workspace: string) => AnyTool[], more: SignalboxOptions = {}): Promise<Opened> {
  const directory = join(scratch, String(places++));
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

const writes = (workspace: string): AnyTool =>
  defineTool({
    name: 'write',
    description: 'Writes a file.',
    effect: 'undoable',
    input,
    run: ({ file, text }) => writeFileSync(join(workspace, file), text),
  });

const spoils = (workspace: string, then: (signal: AbortSignal) => unknown): AnyTool =>
  defineTool({
    name: 'spoil',
    description: 'Changes things and does not complete.',
    effect: 'undoable',
    run(_, { signal, state }) {
      state.set('step', 'spoiled');
      writeFileSync(join(workspace, 'kept.txt'), 'spoiled');
      mkdirSync(join(workspace, 'litter'));
      return then(signal);
    },
  });

describe('undoable calls', () => {
  test('show what they changed, and an undo restores exactly that, once', async () => {
    await using place = await opened((workspace) => [writes(workspace)]);
    const { box, workspace } = place;
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

  test('a later edit is a conflict: it is told, and nothing is overwritten; the rest only on request', async () => {
    await using place = await opened((workspace) => [
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
    const { box, workspace } = place;
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
    ['timed-out', (signal: AbortSignal) => delay(60_000, undefined, { signal }), { deadline: () => Date.now() + 300 }],
    [
      'cancelled',
      (signal: AbortSignal) => delay(60_000, undefined, { signal }),
      { signal: () => AbortSignal.timeout(300) },
    ],
  ] as const) {
    test(`${name}: rolled back by itself, session state too`, async () => {
      await using place = await opened((workspace) => [
        spoils(workspace, then),
        defineTool({ name: 'nothing', description: 'Does nothing.', effect: 'undoable', run: () => 'ok' }),
        defineTool({
          name: 'step',
          description: 'Looks.',
          effect: 'read',
          run: (_, { state }) => state.get('step') ?? 'none',
        }),
      ]);
      const { box, workspace } = place;
      writeFileSync(join(workspace, 'kept.txt'), 'kept');
      const before = treeFingerprint(workspace);
      // The thread that keeps workspaces takes a moment to start, and that is no part of this.
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
      assert.match(result.error?.message ?? '', /2 changes it had made in its workspace were taken back/);
      const step = await box.call('mcp__t__step', {}, { session: 's' });
      assert.deepEqual(step.content, [{ type: 'text', text: 'none' }]);
    });
  }

  test('a state that cannot be kept means that nothing is run', async () => {
    await using place = await opened((workspace) => [writes(workspace)], { undo: { maxFiles: 3 } });
    const { box, workspace } = place;
    for (const name of ['a', 'b', 'c']) writeFileSync(join(workspace, name), name);
    const result = await box.call('mcp__t__write', { file: 'a', text: 'changed' });
    assert.equal(result.error?.code, 'checkpoint-failed');
    assert.match(result.error?.message ?? '', /exceeds the undo limits of 3 entries/);
    assert.equal(readFileSync(join(workspace, 'a'), 'utf8'), 'a');
  });

  test('parallel calls in one workspace come one after the other, and each is undone without the others', async () => {
    await using place = await opened((workspace) => [writes(workspace)]);
    const { box, workspace } = place;
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

  test('a session is undone from its last call to its first', async () => {
    await using place = await opened((workspace) => [writes(workspace)]);
    const { box, workspace } = place;
    writeFileSync(join(workspace, 'a'), 'before');
    const before = treeFingerprint(workspace);
    const calls = [];
    for (const text of ['one', 'two', 'three'])
      calls.push(await box.call('mcp__t__write', { file: 'a', text }, { session: 's' }));
    const conflict = await box.undo.call(calls[0]?.callId ?? '');
    assert.equal(conflict.outcome, 'conflict', 'a later call stands on it');
    const undone = await box.undo.session('s');
    assert.deepEqual(
      undone.map(({ callId }) => callId),
      calls.map(({ callId }) => callId).toReversed(),
    );
    assert.deepEqual(treeFingerprint(workspace), before);
  });

  test('calls that only read keep nothing and start nothing', async () => {
    await using place = await opened(() => [
      defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' }),
    ]);
    await place.box.call('mcp__t__look');
    assert.ok(!existsSync(join(place.data, 'undo')));
  });

  test('a call of an earlier process can be undone', async () => {
    const first = await opened((workspace) => [writes(workspace)]);
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
    await using place = await opened(() => [compensable(done, () => 'ok')]);
    const { box } = place;
    for (const what of ['a', 'b']) await box.call('mcp__t__order', { what }, { session: 's' });
    await box.undo.session('s');
    assert.deepEqual(done, ['order a', 'order b', 'cancel b', 'cancel a']);
    assert.deepEqual(await box.undo.session('s'), []);
    const [last] = (await box.journal.calls({ session: 's' })).items;
    await assert.rejects(box.undo.call(last?.callId ?? ''), { code: 'undo-done' });
    assert.equal(done.length, 4);
  });

  test('run when the call fails after it may have acted, and not when it never ran', async () => {
    const done: string[] = [];
    await using place = await opened(() => [compensable(done, () => Promise.reject(new Error('late')))]);
    const { box } = place;
    const result = await box.call('mcp__t__order', { what: 'a' });
    assert.deepEqual(done, ['order a', 'cancel a']);
    assert.match(result.error?.message ?? '', /late\. Its own undo was run\./);
    await box.call('mcp__t__order', { what: 1 });
    await box.call('mcp__t__order', { what: 'b' }, { signal: AbortSignal.abort() });
    assert.equal(done.length, 2);
  });

  test('are refused for arguments that the journal does not hold whole', async () => {
    const done: string[] = [];
    await using place = await opened(() => [compensable(done, () => 'ok')], { secrets: { CARD: 'card-4711-0815' } });
    const { callId } = await place.box.call('mcp__t__order', { what: 'with card-4711-0815' });
    const { outcome, error } = await place.box.undo.call(callId);
    assert.equal(outcome, 'failed');
    assert.match(error ?? '', /are not recorded whole/);
    assert.equal(done.length, 1);
  });
});
