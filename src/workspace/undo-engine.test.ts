import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../test/support/within.ts';
import { treeFingerprint } from '../../test/support/undo/tree-fingerprint.ts';
import { ContentStore } from './content/content-store.ts';
import type { FileEntry } from './content/file-entry.ts';
import { type WorkspaceUndoResult, UndoEngine } from './undo-engine.ts';
import { WorkspaceTree } from './content/workspace-tree.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-undo-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let workspaces = 0;
const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };

/** Runs a program with process ids of its own, as a container does. */
const unshare = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'];
const canUnshare = spawnSync('/usr/bin/env', [...unshare, 'true']).status === 0;

class TestWorkspace {
  readonly directory = join(directory, String(workspaces++));
  readonly data = join(this.directory, 'data');
  readonly root = join(this.directory, 'workspace');
  engine: UndoEngine;
  #calls = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.data, { recursive: true });
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) writeFileSync(this.at(name), text);
    this.engine = this.open();
  }

  at(path: string): string {
    return join(this.root, path);
  }

  open(): UndoEngine {
    return new UndoEngine({ data: this.data, limits });
  }

  /** Runs the action as a call and returns the call's id. */
  call(act: () => void): string {
    const call = `call_${(this.#calls += 1)}`;
    this.engine.begin(call, [this.root]);
    act();
    this.engine.finish(call);
    return call;
  }

  undo(call: string, partial = false): WorkspaceUndoResult {
    const undone = this.engine.undo(call, partial);
    assert.ok('outcome' in undone);
    return undone;
  }
}

describe('UndoEngine, conflicts', () => {
  test('does not restore a removed workspace when its path leads to another directory now', () => {
    const workspace = new TestWorkspace();
    const root = workspace.at('in');
    mkdirSync(root);
    writeFileSync(join(root, 'a'), 'a');
    workspace.engine.begin('call_in', [root]);
    rmSync(root, { recursive: true });
    workspace.engine.finish('call_in');
    const elsewhere = workspace.at('elsewhere');
    mkdirSync(elsewhere);
    renameSync(workspace.root, `${workspace.root}-moved`);
    symlinkSync(`${workspace.root}-moved/elsewhere`, workspace.root);
    for (const present of [[], ['in']]) {
      for (const name of present) mkdirSync(join(`${workspace.root}-moved/elsewhere`, name));
      const undone = workspace.undo('call_in', true);
      assert.equal(undone.outcome, 'partly-undone');
      assert.deepEqual(readdirSync(`${workspace.root}-moved/elsewhere`, { recursive: true }), present);
    }
  });

  test('reports any later change of a path by others, and leaves it unchanged', () => {
    const laterChanges: Record<string, (at: (path: string) => string) => void> = {
      'a is edited': (at) => appendFileSync(at('a'), 'more'),
      'a is removed': (at) => unlinkSync(at('a')),
      'a gets another mode': (at) => chmodSync(at('a'), 0o600),
      'a becomes a symlink': (at) => {
        unlinkSync(at('a'));
        symlinkSync('b', at('a'));
      },
      'a becomes a directory': (at) => {
        unlinkSync(at('a'));
        mkdirSync(at('a'));
      },
      'the removed b is written again': (at) => writeFileSync(at('b'), 'new'),
      'a file is added to the new directory': (at) => writeFileSync(at('new/added'), 'added'),
      'the new directory becomes a symlink': (at) => {
        renameSync(at('new'), at('elsewhere'));
        symlinkSync('elsewhere', at('new'));
      },
    };
    for (const [what, act] of Object.entries(laterChanges)) {
      const workspace = new TestWorkspace({ a: 'a', b: 'b' });
      const call = workspace.call(() => {
        writeFileSync(workspace.at('a'), 'by the call');
        unlinkSync(workspace.at('b'));
        mkdirSync(workspace.at('new'));
      });
      act((path) => workspace.at(path));
      const changed = treeFingerprint(workspace.root);
      const undone = workspace.undo(call);
      assert.equal(undone.outcome, 'conflict', what);
      assert.equal(undone.conflicts.length, 1, what);
      assert.deepEqual(treeFingerprint(workspace.root), changed, what);
      const [conflict] = workspace.undo(call, true).conflicts;
      const now = treeFingerprint(workspace.root);
      const path = `/${conflict?.path}`;
      assert.equal(now.get(path), changed.get(path), what);
    }
  });

  test('keeps changes of other paths, which are not conflicts', () => {
    const workspace = new TestWorkspace({ a: 'a', b: 'b' });
    const call = workspace.call(() => writeFileSync(workspace.at('a'), 'by the call'));
    writeFileSync(workspace.at('b'), 'by a human');
    writeFileSync(workspace.at('c'), 'by a human');
    assert.equal(workspace.undo(call).outcome, 'undone');
    assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'a');
    assert.equal(readFileSync(workspace.at('b'), 'utf8'), 'by a human');
    assert.ok(existsSync(workspace.at('c')));
  });
});

describe('UndoEngine, the boundary of the workspace', () => {
  test('never restores or removes outside, also when a directory was replaced by a symlink', () => {
    const workspace = new TestWorkspace();
    const outside = join(workspace.directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'changed'), 'outside');
    writeFileSync(join(outside, 'added'), 'outside');
    mkdirSync(workspace.at('d'));
    writeFileSync(workspace.at('d/changed'), 'before');
    writeFileSync(workspace.at('d/removed'), 'before');
    const call = workspace.call(() => {
      writeFileSync(workspace.at('d/changed'), 'after');
      writeFileSync(workspace.at('d/added'), 'after');
      unlinkSync(workspace.at('d/removed'));
    });
    rmSync(workspace.at('d'), { recursive: true });
    symlinkSync(outside, workspace.at('d'));
    const before = treeFingerprint(outside);
    const undone = workspace.undo(call, true);
    assert.deepEqual(undone.conflicts.map(({ path }) => path).toSorted(), ['d/changed', 'd/removed']);
    assert.deepEqual(treeFingerprint(outside), before);
    assert.equal(readlinkSync(workspace.at('d')), outside);
  });

  test('stores and restores a symlink itself, not its target', () => {
    const workspace = new TestWorkspace();
    const outside = join(workspace.directory, 'outside');
    writeFileSync(outside, 'outside');
    symlinkSync(outside, workspace.at('link'));
    symlinkSync('nowhere', workspace.at('dangling'));
    const call = workspace.call(() => {
      writeFileSync(workspace.at('link'), 'through the link');
      unlinkSync(workspace.at('dangling'));
    });
    assert.deepEqual(
      workspace.undo(call).changes.map(({ path }) => path),
      ['dangling'],
    );
    assert.equal(readFileSync(outside, 'utf8'), 'through the link');
    assert.equal(readlinkSync(workspace.at('dangling')), 'nowhere');
  });

  test('excludes the data directory of Signalbox from a workspace that contains it', () => {
    const workspace = new TestWorkspace();
    workspace.engine.begin('call_1', [workspace.directory]);
    writeFileSync(join(workspace.data, 'signalbox.db'), 'recorded meanwhile');
    assert.equal(workspace.engine.finish('call_1').total, 0);
  });
});

describe('UndoEngine, scans', () => {
  test('detects a change with the same size and modification time', () => {
    const workspace = new TestWorkspace({ a: 'one' });
    utimesSync(workspace.at('a'), 1_000_000, 1_000_000);
    const call = workspace.call(() => {
      writeFileSync(workspace.at('a'), 'two');
      utimesSync(workspace.at('a'), 1_000_000, 1_000_000);
    });
    assert.equal(workspace.undo(call).total, 1);
    assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'one');
  });

  // With a coarse clock, a second change in the same tick leaves the same stat. The test simulates such an entry.
  test('reads a recently changed file again in the next scan, and trusts its stat only when it is older', async () => {
    const workspace = new TestWorkspace({ a: 'now' });
    const contents = new ContentStore(join(workspace.directory, 'content'));
    const tree = new WorkspaceTree(workspace.root, contents, limits, '');
    const indexed = (): { entry: FileEntry; isSettled: boolean } | undefined =>
      [...tree.entries()].find(({ path }) => path === 'a');
    // Simulates a change at this moment, independent of the speed of the machine.
    utimesSync(workspace.at('a'), Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    tree.scan();
    const recent = indexed();
    assert.ok(recent !== undefined);
    assert.equal(recent.isSettled, false);
    tree.load({ path: 'a', entry: { ...recent.entry, content: 'earlier content' }, isSettled: recent.isSettled });
    assert.deepEqual(
      tree.scan().changes.map(({ path, after: present }) => [path, present?.content]),
      [['a', recent.entry.content]],
    );
    utimesSync(workspace.at('a'), 1_000_000, 1_000_000.5);
    await delay(100);
    tree.scan();
    assert.equal(indexed()?.isSettled, true);
  });

  test('restores a large file, and stores equal contents once', () => {
    const workspace = new TestWorkspace();
    const large = Buffer.alloc(3_000_000, 'large');
    for (const name of ['large', 'equal']) writeFileSync(workspace.at(name), large);
    const call = workspace.call(() => truncateSync(workspace.at('large'), 10));
    assert.equal(workspace.undo(call).outcome, 'undone');
    assert.deepEqual(readFileSync(workspace.at('large')), large);
    const contents = join(workspace.data, 'undo', 'content');
    const sizes = readdirSync(contents, { recursive: true }).map((name) => statSync(join(contents, String(name))).size);
    assert.deepEqual(
      sizes.filter((size) => size === large.length),
      [large.length],
    );
  });

  test('skips and reports a FIFO without waiting for it', () => {
    const workspace = new TestWorkspace({ a: 'a' });
    execFileSync('/bin/sh', ['-c', 'mkfifo pipe'], { cwd: workspace.root });
    workspace.engine.begin('call_1', [workspace.root]);
    writeFileSync(workspace.at('a'), 'b');
    const { skipped, total } = workspace.engine.finish('call_1');
    assert.equal(total, 1);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['pipe'],
    );
    assert.equal(workspace.undo('call_1').outcome, 'undone');
    assert.ok(lstatSync(workspace.at('pipe')).isFIFO());
  });

  test('detects an index that another process wrote, or that is incomplete', () => {
    const workspace = new TestWorkspace({ a: 'a', b: 'b' });
    workspace.call(() => writeFileSync(workspace.at('a'), 'one'));
    const other = workspace.open();
    other.begin('call_other', [workspace.root]);
    writeFileSync(workspace.at('a'), 'two');
    other.finish('call_other');
    const [index = ''] = readdirSync(join(workspace.data, 'undo', 'workspaces'));
    appendFileSync(join(workspace.data, 'undo', 'workspaces', index), '["b",0,420,0,0,1');
    const before = treeFingerprint(workspace.root);
    const call = workspace.call(() => writeFileSync(workspace.at('b'), 'three'));
    assert.deepEqual(
      workspace.undo(call).changes.map(({ path }) => path),
      ['b'],
    );
    assert.deepEqual(treeFingerprint(workspace.root), before);
  });
});

describe('UndoEngine, several processes', () => {
  test('rejects an overlapping workspace while another process uses it', () => {
    const workspace = new TestWorkspace();
    mkdirSync(workspace.at('below'));
    const other = workspace.open();
    workspace.engine.begin('call_1', [workspace.root]);
    for (const root of [workspace.root, workspace.at('below'), workspace.directory])
      assert.deepEqual(other.begin('call_2', [root]), { busy: 'call_1' });
    workspace.engine.finish('call_1');
    assert.ok('files' in other.begin('call_2', [workspace.root]));
  });

  test('recovers a call in another container only after its process has died', async (t) => {
    const workspace = new TestWorkspace({ a: 'a' });
    const program = `
      const { UndoEngine } = await import(${JSON.stringify(new URL('undo-engine.ts', import.meta.url).href)});
      const engine = new UndoEngine(${JSON.stringify({ data: workspace.data, limits })});
      engine.begin('call_1', [${JSON.stringify(workspace.root)}]);
      process.stdout.write('begun');
      process.stdin.resume();
      // Refers to the engine, whose lock would otherwise end when it is garbage collected.
      process.stdin.once('end', () => process.exit(engine === undefined ? 1 : 0));`;
    const container = canUnshare ? unshare : [];
    const child = spawn('/usr/bin/env', [...container, process.execPath, '--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await within(once(child.stdout, 'data'), 'the call in the other process');
    workspace.engine.recover();
    assert.deepEqual(workspace.engine.begin('call_2', [workspace.root]), { busy: 'call_1' });
    writeFileSync(workspace.at('a'), 'half done');
    const ended = once(child, 'exit');
    child.stdin.end();
    await within(ended, 'the end of the other process');
    assert.ok('files' in workspace.engine.begin('call_2', [workspace.root]));
    assert.equal(workspace.engine.changesOf('call_1')?.interrupted, true);
  });

  test('undoes a call whose process died', () => {
    const workspace = new TestWorkspace({ a: 'a' });
    const before = treeFingerprint(workspace.root);
    workspace.engine.begin('call_1', [workspace.root]);
    writeFileSync(workspace.at('a'), 'half done');
    workspace.engine.close();
    workspace.engine = workspace.open();
    assert.equal(workspace.engine.changesOf('call_1')?.interrupted, true);
    assert.equal(workspace.undo('call_1').outcome, 'undone');
    assert.deepEqual(treeFingerprint(workspace.root), before);
  });
});

describe('UndoEngine, retention', () => {
  test('removes contents that no recent call and no present file needs; the rest can still be undone', () => {
    const workspace = new TestWorkspace({ a: 'one' });
    const first = workspace.call(() => writeFileSync(workspace.at('a'), 'two'));
    const between = Date.now() + 1;
    while (Date.now() <= between);
    const second = workspace.call(() => writeFileSync(workspace.at('a'), 'three'));
    const freed = workspace.engine.sweep({ since: between, bytes: 1e9 });
    assert.equal(freed, 'one'.length);
    assert.equal(workspace.engine.changesOf(first), undefined);
    assert.equal(workspace.undo(second).outcome, 'undone');
    assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'two');
    assert.equal(workspace.engine.sweep({ since: 0, bytes: 0 }), 'two'.length, 'the size limit removes the record');
  });

  test('detects a damaged content, and restores nothing from it', () => {
    const workspace = new TestWorkspace({ a: 'one' });
    const call = workspace.call(() => writeFileSync(workspace.at('a'), 'two'));
    const contents = join(workspace.data, 'undo', 'content');
    for (const folder of readdirSync(contents))
      for (const name of readdirSync(join(contents, folder)))
        if (
          statSync(join(contents, folder, name)).size === 3 &&
          readFileSync(join(contents, folder, name), 'utf8') === 'one'
        )
          writeFileSync(join(contents, folder, name), 'eno');
    assert.throws(() => workspace.undo(call), { code: 'undo-unavailable' });
    assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'two');
  });
});
