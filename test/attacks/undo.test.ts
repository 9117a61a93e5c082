import assert from 'node:assert/strict';
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Signalbox, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { UndoEngine } from '../../src/workspace/undo-engine.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { runProgram } from '../faults/run-and-kill.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { within } from '../support/within.ts';

const threeGigabytes = 3 * 1024 ** 3;
const limits = { files: 1000, bytes: 1e9, milliseconds: 60_000 };
const memory = createMemoryDirectory('undo-attacks');
after(() => rmSync(memory, { recursive: true, force: true }));

/** A CLI directory with a workspace, and a box whose only tool runs `act`. */
class Workspace {
  readonly project = new CliProject();
  readonly root = join(this.project.directory, 'workspace');
  box: Signalbox | undefined;
  act: () => void = () => undefined;

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) writeFileSync(this.at(name), text);
  }

  at(name: string): string {
    return join(this.root, name);
  }

  text(name: string): string | undefined {
    return existsSync(this.at(name)) ? readFileSync(this.at(name), 'utf8') : undefined;
  }

  async open(undo: { readonly maxFiles?: number } = {}): Promise<Signalbox> {
    const tool = defineTool({ name: 'act', description: 'Acts.', effect: 'undoable', run: () => this.act() });
    const servers = [localServer({ name: 't', tools: [tool], workspace: [this.root] })];
    const { data } = this.project;
    this.box = await createSignalbox({ data, servers, undo, approve: () => ({ allow: true }) });
    return this.box;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.box?.close();
  }
}

suite('undo of a call beyond its limits', () => {
  test('restores files that grew to 3 GB, without reading them', async () => {
    await using workspace = new Workspace({ 'a.txt': 'a', 'grown.txt': 'small' });
    const box = await workspace.open();
    workspace.act = () => {
      writeFileSync(workspace.at('a.txt'), 'by the call');
      truncateSync(workspace.at('grown.txt'), threeGigabytes);
      writeFileSync(workspace.at('new.bin'), '');
      truncateSync(workspace.at('new.bin'), threeGigabytes);
    };
    const call = await box.call('mcp__t__act');
    assert.deepEqual(
      call.changes?.map(({ path, kind, note }) => [path, kind, note?.includes('beyond the limits of undo') ?? false]),
      [
        ['a.txt', 'modified', false],
        ['grown.txt', 'modified', true],
        ['new.bin', 'added', true],
      ],
    );
    const refused = await box.call('mcp__t__act');
    assert.equal(refused.error?.code, 'checkpoint-failed', 'nothing runs without a complete checkpoint');
    assert.equal((await box.undo.call(call.callId)).outcome, 'undone');
    assert.deepEqual(readdirSync(workspace.root), ['a.txt', 'grown.txt']);
    assert.deepEqual([workspace.text('a.txt'), workspace.text('grown.txt')], ['a', 'small']);
  });

  test('keeps an edit that a human made to such a file', async () => {
    await using workspace = new Workspace({ 'a.txt': 'a' });
    const box = await workspace.open();
    workspace.act = () => {
      writeFileSync(workspace.at('a.txt'), 'by the call');
      writeFileSync(workspace.at('new.bin'), '');
      truncateSync(workspace.at('new.bin'), threeGigabytes);
    };
    const { callId } = await box.call('mcp__t__act');
    const file = openSync(workspace.at('new.bin'), 'r+');
    fs.writeSync(file, 'by a human', 1000);
    fs.closeSync(file);
    const { outcome, conflicts } = await box.undo.call(callId);
    assert.deepEqual([outcome, conflicts.map(({ path }) => path)], ['conflict', ['new.bin']]);
    assert.equal((await box.undo.call(callId, { partial: true })).outcome, 'partly-undone');
    assert.deepEqual([workspace.text('a.txt'), statSync(workspace.at('new.bin')).size], ['a', threeGigabytes]);
  });

  test('restores all but too many entries, and names those in the result and in the command', async () => {
    await using workspace = new Workspace({ 'a.txt': 'a', 'b.txt': 'b' });
    const box = await workspace.open({ maxFiles: 30 });
    workspace.act = () => {
      writeFileSync(workspace.at('a.txt'), 'by the call');
      unlinkSync(workspace.at('b.txt'));
      mkdirSync(workspace.at('many/deep'), { recursive: true });
      for (let index = 0; index < 60; index += 1) writeFileSync(workspace.at(`many/deep/${index}`), '');
    };
    const call = await box.call('mcp__t__act');
    assert.equal(call.outcome, 'completed');
    assert.match(
      JSON.stringify(call.content),
      /Not all of its changes can be undone: many\/deep received more new entries/,
    );
    assert.deepEqual(
      [call.changes?.[0]?.path, call.changes?.[0]?.note],
      ['many/deep', 'directory; contains new entries beyond the limits of undo, which cannot be undone'],
    );
    await box.close();
    const { code, stdout } = await workspace.project.run(['undo', call.callId]);
    assert.equal(code, 1);
    assert.match(stdout, /^partly-undone /);
    assert.match(
      stdout,
      /! many\/deep: it contains new entries beyond the limits of undo, which were not recorded and are not removed/,
    );
    assert.deepEqual([workspace.text('a.txt'), workspace.text('b.txt')], ['a', 'b']);
    const left = readdirSync(workspace.at('many/deep')).length;
    assert.ok(left > 0 && left < 60, `${left} are left`);
  });

  test('restores everything that existed before, if the comparison takes too long', () => {
    const [data, root] = [join(memory, 'late data'), join(memory, 'late')];
    for (const directory of [data, root]) mkdirSync(directory);
    const at = (name: string): string => join(root, name);
    for (const name of ['changed', 'removed']) writeFileSync(at(name), 'before');
    const ending = { ...limits };
    const engine = new UndoEngine({ data, limits: ending });
    engine.begin('call_1', [root]);
    writeFileSync(at('changed'), 'by the call');
    unlinkSync(at('removed'));
    writeFileSync(at('added'), 'by the call');
    ending.milliseconds = -1;
    assert.deepEqual(
      engine.finish('call_1').beyondLimits.map(({ path }) => path),
      ['.'],
    );
    const undone = engine.undo('call_1', false);
    assert.ok('outcome' in undone);
    assert.deepEqual([undone.outcome, undone.conflicts.map(({ path }) => path)], ['partly-undone', ['.']]);
    assert.deepEqual(readdirSync(root), ['added', 'changed', 'removed']);
    for (const name of ['changed', 'removed']) assert.equal(readFileSync(at(name), 'utf8'), 'before');
  });

  test('takes back a failed call as far as possible', async () => {
    await using workspace = new Workspace({ 'a.txt': 'a' });
    const box = await workspace.open({ maxFiles: 10 });
    workspace.act = () => {
      writeFileSync(workspace.at('a.txt'), 'by the call');
      for (let index = 0; index < 20; index += 1) writeFileSync(workspace.at(`${index}`), '');
      throw new Error('no more');
    };
    const { error } = await box.call('mcp__t__act');
    assert.match(error?.message ?? '', /rolled back, except \. \(it contains new entries beyond the limits of undo/);
    assert.equal(workspace.text('a.txt'), 'a');
  });
});

suite('edit during an undo', () => {
  test('of a large file is not lost', async () => {
    const before = Buffer.alloc(48 * 1024 * 1024, 'b');
    // A busy machine may report the first sign of the undo only after its end; then the test tries again.
    for (let isDuring = false; !isDuring;) {
      await using workspace = new Workspace({ 'large.txt': '' });
      const file = workspace.at('large.txt');
      writeFileSync(file, before);
      const box = await workspace.open();
      workspace.act = () => writeFileSync(file, 'by the call');
      const { callId } = await box.call('mcp__t__act');
      const edited = new Promise<void>((resolve) => {
        // The undo prepares the new content in a file beside it.
        const watcher = watch(workspace.root, (_, name) => {
          if (name?.startsWith('.signalbox-undo-') !== true) return;
          watcher.close();
          appendFileSync(file, ', edited by a human');
          resolve();
        });
      });
      const { outcome, conflicts } = await box.undo.call(callId);
      await within(edited, 'the edit');
      assert.match(workspace.text('large.txt')?.slice(-100) ?? '', /, edited by a human$/);
      assert.deepEqual(readdirSync(workspace.root), ['large.txt'], 'nothing is left beside it');
      if (outcome === 'undone') continue;
      isDuring = true;
      assert.deepEqual([outcome, conflicts.map(({ path }) => path)], ['partly-undone', ['large.txt']]);
      assert.match(
        conflicts[0]?.reason ?? '',
        /^(?:it was changed|another entry was created there) while the call was undone/,
      );
    }
  });

  const moments: Readonly<Record<string, (at: (name: string) => string) => void>> = {
    'a changed file, before it is moved': (at) => appendFileSync(at('changed'), ' by a human'),
    'an added file, before it is moved': (at) => appendFileSync(at('added'), ' by a human'),
    'a file that was saved under its name again': (at) => {
      writeFileSync(at('saved'), 'by a human');
      renameSync(at('saved'), at('changed'));
    },
    'a file of the same length': (at) => writeFileSync(at('changed'), 'BY THE CALL'),
  };
  for (const [label, edit] of Object.entries(moments))
    test(`is not lost: ${label}`, (t) => {
      const [data, root] = [join(memory, `${label} data`), join(memory, label)];
      for (const directory of [data, root]) mkdirSync(directory);
      const at = (name: string): string => join(root, name);
      writeFileSync(at('changed'), 'before');
      const engine = new UndoEngine({ data, limits });
      engine.begin('call_1', [root]);
      writeFileSync(at('changed'), 'by the call');
      writeFileSync(at('added'), 'by the call');
      engine.finish('call_1');
      const { renameSync: rename } = fs;
      let isEdited = false;
      fs.renameSync = (from, to) => {
        const isNamedFile = !isEdited && label.includes(basename(String(from)));
        const isChangedFile = !isEdited && basename(String(from)) === 'changed' && !label.startsWith('an added');
        if (String(to).includes('.signalbox-undo-') && (isNamedFile || isChangedFile)) {
          isEdited = true;
          edit(at);
        }
        rename(from, to);
      };
      syncBuiltinESMExports();
      t.after(() => {
        fs.renameSync = rename;
        syncBuiltinESMExports();
      });
      const undone = engine.undo('call_1', false);
      assert.ok(isEdited && 'outcome' in undone);
      assert.equal(undone.outcome, 'partly-undone');
      const texts = readdirSync(root).map((name) => readFileSync(at(name), 'utf8'));
      assert.ok(
        texts.some((text) => /by a human|BY THE CALL/.test(text)),
        texts.join(),
      );
      assert.ok(!readdirSync(root).some((name) => name.startsWith('.signalbox')), readdirSync(root).join());
    });

  test('is not lost: a new file in place of one that was just moved', () => {
    const [data, root] = [join(memory, 'taken data'), join(memory, 'taken')];
    for (const directory of [data, root]) mkdirSync(directory);
    const file = join(root, 'changed');
    writeFileSync(file, 'before');
    const engine = new UndoEngine({ data, limits });
    engine.begin('call_1', [root]);
    writeFileSync(file, 'by the call');
    engine.finish('call_1');
    const { linkSync: link } = fs;
    fs.linkSync = (from, to) => {
      writeFileSync(file, 'by a human');
      link(from, to);
    };
    syncBuiltinESMExports();
    try {
      const undone = engine.undo('call_1', false);
      assert.ok('conflicts' in undone);
      assert.equal(undone.conflicts[0]?.reason, 'another entry was created there while the call was undone');
    } finally {
      fs.linkSync = link;
      syncBuiltinESMExports();
    }
    assert.equal(readFileSync(file, 'utf8'), 'by a human');
    assert.deepEqual(readdirSync(root), ['changed']);
  });
});

suite('undo that is killed around each rename', () => {
  const program = fileURLToPath(new URL('./killed-undo.ts', import.meta.url));
  for (const isEdited of [false, true])
    test(isEdited ? 'loses nothing with an edit at the last moment' : 'loses nothing without an edit', async () => {
      let [kills, edits] = [0, 0];
      for (let moment = 1; ; moment += 1) {
        const [data, root] = [join(memory, `data-${isEdited}-${moment}`), join(memory, `root-${isEdited}-${moment}`)];
        for (const directory of [data, root]) mkdirSync(directory);
        const at = (name: string): string => join(root, name);
        writeFileSync(at('changed'), 'before');
        const engine = new UndoEngine({ data, limits });
        engine.begin('call_1', [root]);
        writeFileSync(at('changed'), 'by the call, ');
        writeFileSync(at('added'), 'by the call, ');
        engine.finish('call_1');
        const first = await runProgram(program, [data, 'call_1', String(moment), isEdited ? at('changed') : '']);
        if (first.signal !== 'SIGKILL') break;
        kills += 1;
        const second = await runProgram(program, [data, 'call_1', '0']);
        assert.equal(second.code, 0, second.output);
        const names = readdirSync(root);
        const context = `killed at moment ${moment}: ${names.map((name) => `${name}: ${readFileSync(at(name), 'utf8')}`).join('; ')}`;
        const wasEdited = first.output.includes('edited');
        edits += Number(wasEdited);
        const expected = wasEdited ? 'by the call, by a human' : 'before';
        assert.equal(readFileSync(at('changed'), 'utf8'), expected, context);
        assert.deepEqual(names, ['changed'], context);
      }
      assert.ok(kills > 4 && edits > 0 === isEdited, `${kills} moments, ${edits} after an edit`);
    });
});
