import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { treeFingerprint } from '../../../test/support/undo/tree-fingerprint.ts';
import {
  type AnyTool,
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
} from '../../index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-undo-failures-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let directories = 0;

class UndoFixture implements AsyncDisposable {
  readonly directory = join(scratch, String(directories++));
  readonly data = join(this.directory, 'data');
  readonly workspace = join(this.directory, 'workspace');
  #box: Signalbox | undefined;

  constructor() {
    mkdirSync(join(this.workspace, 'folder'), { recursive: true });
    writeFileSync(join(this.workspace, 'a.txt'), 'before');
    writeFileSync(join(this.workspace, 'folder', 'b.txt'), 'before');
  }

  /** Opens a box with these tools, and closes the previous one. */
  async open(tools: readonly AnyTool[], more: SignalboxOptions = {}): Promise<Signalbox> {
    await this.#box?.close();
    const servers =
      tools.length === 0 ? [] : [localServer({ name: 't', tools: [...tools], workspace: [this.workspace] })];
    return (this.#box = await createSignalbox({ data: this.data, servers, approve: () => ({ allow: true }), ...more }));
  }

  at(path: string): string {
    return join(this.workspace, path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#box?.close();
  }
}

const actingTool = (run: () => unknown, more: { undo?: () => unknown; description?: string } = {}): AnyTool =>
  defineTool({ name: 'act', description: 'Acts.', effect: 'undoable', run, ...more });

describe('call that removes its workspace', () => {
  const replacements: Record<string, (fixture: UndoFixture) => void> = {
    'no longer exists': () => undefined,
    'was replaced by a file': ({ workspace }) => writeFileSync(workspace, 'file'),
    'was replaced by a link': ({ workspace, directory }) => {
      mkdirSync(join(directory, 'target'));
      writeFileSync(join(directory, 'target', 'a.txt'), 'theirs');
      symlinkSync(join(directory, 'target'), workspace);
    },
  };
  for (const [state, then] of Object.entries(replacements)) {
    test(`is rolled back and undone when the workspace ${state}`, async () => {
      await using fixture = new UndoFixture();
      const before = treeFingerprint(fixture.workspace);
      let fails = true;
      const box = await fixture.open([
        actingTool(() => {
          rmSync(fixture.workspace, { recursive: true });
          then(fixture);
          if (fails) throw new Error('no');
        }),
      ]);
      const failed = await box.call('mcp__t__act');
      assert.match(failed.error?.message ?? '', /4 changes in its workspace were rolled back/);
      assert.deepEqual(treeFingerprint(fixture.workspace), before);
      rmSync(join(fixture.directory, 'target'), { recursive: true, force: true });

      fails = false;
      const completed = await box.call('mcp__t__act');
      assert.equal(completed.changes?.length, 4);
      assert.equal((await box.undo.call(completed.callId)).outcome, 'undone');
      assert.deepEqual(treeFingerprint(fixture.workspace), before);
      if (state === 'was replaced by a link')
        assert.deepEqual(
          readdirSync(join(fixture.directory, 'target')).map((name) =>
            readFileSync(join(fixture.directory, 'target', name), 'utf8'),
          ),
          ['theirs'],
        );
    });
  }
});

test('undo reports a rollback that failed', async () => {
  await using fixture = new UndoFixture();
  const box = await fixture.open([
    actingTool(() => {
      writeFileSync(fixture.at('c'), 'c');
      rmSync(join(fixture.data, 'undo'), { recursive: true });
      throw new Error('Too bad.');
    }),
  ]);
  const { callId, error } = await box.call('mcp__t__act');
  assert.match(
    error?.message ?? '',
    /Too bad\. Its changes in the workspace could not be rolled back: .* no longer exists/,
  );
  await assert.rejects(box.undo.call(callId), { code: 'undo-unavailable', message: /could not be rolled back then/ });
});

describe('undo function of a tool', () => {
  test('that failed is reported each time, and runs again only on request', async () => {
    await using fixture = new UndoFixture();
    let runs = 0;
    const undo = (): void => {
      runs += 1;
      if (runs < 3) throw new Error(`no ${runs}`);
    };
    const box = await fixture.open([actingTool(() => 'done', { undo })]);
    const { callId } = await box.call('mcp__t__act');
    const outcomes = [];
    for (const again of [false, false, true, false, true])
      outcomes.push(await box.undo.call(callId, { again }).then(({ outcome, error }) => [outcome, error]));
    assert.deepEqual(
      outcomes.map(([outcome]) => outcome),
      ['failed', 'failed', 'failed', 'failed', 'undone'],
    );
    assert.match(outcomes[1]?.[1] ?? '', /failed before \(no 1\).*"again"/);
    assert.match(outcomes[3]?.[1] ?? '', /failed before \(no 2\)/);
    assert.equal(runs, 3);
    await assert.rejects(box.undo.call(callId, { again: true }), { code: 'undo-done' });
  });

  test('that failed right after its call failed can run again', async () => {
    await using fixture = new UndoFixture();
    let runs = 0;
    const undo = (): void => {
      runs += 1;
      if (runs === 1) throw new Error('no');
    };
    const box = await fixture.open([actingTool(() => Promise.reject(new Error('late')), { undo })]);
    const { callId } = await box.call('mcp__t__act');
    assert.equal((await box.undo.call(callId)).outcome, 'failed');
    assert.equal((await box.undo.call(callId, { again: true })).outcome, 'undone');
  });

  test('does not run when the tool was changed: nothing is undone, or on request the workspace alone', async () => {
    await using fixture = new UndoFixture();
    let runs = 0;
    const run = (): void => writeFileSync(fixture.at('a.txt'), 'after');
    const undo = (): number => (runs += 1);
    const { callId } = await (await fixture.open([actingTool(run, { undo })])).call('mcp__t__act');
    for (const changed of [actingTool(run, { undo, description: 'Acts differently.' }), actingTool(run)]) {
      const refused = await (await fixture.open([changed])).undo.call(callId);
      assert.equal(refused.outcome, 'failed');
      assert.match(refused.error ?? '', /nothing was touched: mcp__t__act was changed since the call/);
      assert.equal(readFileSync(fixture.at('a.txt'), 'utf8'), 'after');
    }
    const box = await fixture.open([actingTool(run, { undo, description: 'Acts differently.' })]);
    const partly = await box.undo.call(callId, { partial: true });
    assert.equal(partly.outcome, 'failed');
    assert.equal(readFileSync(fixture.at('a.txt'), 'utf8'), 'before');
    assert.equal(runs, 0);
  });

  test('of an unavailable tool ends the undo of a session before earlier calls are undone', async () => {
    await using fixture = new UndoFixture();
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      effect: 'undoable',
      run: () => writeFileSync(fixture.at('a.txt'), 'after'),
    });
    const order = defineTool({ name: 'order', description: 'Orders.', run: () => 'ok', undo: () => undefined });
    const box = await fixture.open([write, order]);
    await box.call('mcp__t__write', {}, { session: 's' });
    await box.call('mcp__t__order', {}, { session: 's' });
    const undone = await (await fixture.open([])).undo.session('s');
    assert.deepEqual(
      undone.map(({ tool, outcome }) => [tool, outcome]),
      [['mcp__t__order', 'failed']],
    );
    assert.match(undone[0]?.error ?? '', /mcp__t__order is not available/);
    assert.equal(readFileSync(fixture.at('a.txt'), 'utf8'), 'after');
    assert.equal((await (await fixture.open([write, order])).undo.session('s')).length, 2);
  });
});

test('session state that a failed call modified in place is restored', async () => {
  await using fixture = new UndoFixture();
  const box = await fixture.open([
    defineTool({
      name: 'push',
      description: 'Adds to a list.',
      effect: 'undoable',
      input: { type: 'object', properties: { how: { type: 'string' } }, required: ['how'] } as const,
      run({ how }, { state }) {
        const list = (state.get('list') ?? []) as number[];
        list.push(1);
        if (how !== 'in place') state.set('list', list);
        list.push(2);
        if (how === 'fail') throw new Error('no');
        return String((state.get('list') as number[]).length);
      },
    }),
  ]);
  const push = async (how: string): Promise<unknown> => {
    const { outcome, content } = await box.call('mcp__t__push', { how }, { session: 's' });
    return outcome === 'completed' && content[0]?.type === 'text' ? content[0].text : outcome;
  };
  assert.equal(await push('set'), '1');
  assert.equal(await push('fail'), 'failed');
  assert.equal(await push('in place'), '1');
  assert.equal(await push('set'), '2');
});

test('an undo next to a running call reports the call it waits for, and waits no longer than allowed', async () => {
  await using fixture = new UndoFixture();
  let calls = 0;
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const box = await fixture.open([
    actingTool(async () => {
      calls += 1;
      writeFileSync(fixture.at('a.txt'), String(calls));
      if (calls === 1) return;
      started.resolve();
      await goOn.promise;
      writeFileSync(fixture.at('a.txt'), '1');
    }),
  ]);
  const { callId } = await box.call('mcp__t__act');
  const running = box.call('mcp__t__act');
  await started.promise;
  const busy: string[] = [];
  const refused = await box.undo.call(callId, { waitMs: 30, onBusy: (call) => busy.push(call) });
  assert.equal(refused.outcome, 'failed');
  assert.match(refused.error ?? '', new RegExp(`nothing was touched: ${busy[0]} is still running in its workspace`));
  const interrupted = new AbortController();
  const waiting = box.undo.call(callId, { signal: interrupted.signal, onBusy: () => interrupted.abort() });
  assert.equal((await waiting).outcome, 'failed');

  const patient = box.undo.call(callId, { onBusy: () => goOn.resolve() });
  assert.equal((await patient).outcome, 'undone');
  assert.equal((await running).callId, busy[0]);
  assert.equal(busy.length, 1);
});

test('a tool that deletes the undo storage does not affect later calls, and undo reports the lost state', async () => {
  await using fixture = new UndoFixture();
  let removes: string | undefined;
  const box = await fixture.open([
    actingTool(() => {
      writeFileSync(fixture.at('a.txt'), String(Math.random()));
      if (removes !== undefined) rmSync(join(fixture.data, 'undo', removes), { recursive: true });
    }),
  ]);
  for (const part of ['.', 'content', 'calls', 'open', 'workspaces']) {
    removes = undefined;
    const stored = await box.call('mcp__t__act');
    removes = part;
    const removing = await box.call('mcp__t__act');
    assert.equal(removing.outcome, 'completed');
    removes = undefined;
    const before = readFileSync(fixture.at('a.txt'), 'utf8');
    const later = await box.call('mcp__t__act');
    assert.equal(later.changes?.length, 1, part);
    assert.equal((await box.undo.call(later.callId)).outcome, 'undone', part);
    assert.equal(readFileSync(fixture.at('a.txt'), 'utf8'), before);
    if (part !== '.') continue;
    await assert.rejects(box.undo.call(stored.callId), {
      code: 'undo-unavailable',
      message: /the stored state .* is gone/,
    });
    await assert.rejects(box.undo.call(removing.callId), {
      code: 'undo-unavailable',
      message: /nothing is stored of it/,
    });
    assert.ok(existsSync(join(fixture.data, 'undo', 'plans')));
  }
});
