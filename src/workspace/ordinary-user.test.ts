import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isFull } from '../../test/support/faults.ts';
import { createMemoryDirectory } from '../../test/support/temporary-directory.ts';
import { dropRootPrivileges } from '../../test/support/processes/ordinary-user.ts';
import { removeTree, undoRandomTrees } from '../../test/support/undo/random-trees.ts';
import { runSeed } from '../../test/support/seeded.ts';
import { treeFingerprint } from '../../test/support/undo/tree-fingerprint.ts';
import { type WorkspaceUndoResult, UndoEngine } from './undo-engine.ts';

// Root can read everything, so as root the tests would prove nothing.
dropRootPrivileges();
const directory = createMemoryDirectory('ordinary-undo');
after(() => removeTree(directory));
const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };
let workspaces = 0;

/** A workspace with an open directory `d`, a closed directory `closed`, and a file `unread`; each of the directories has a file. */
class TestWorkspace {
  readonly root: string;
  readonly engine: UndoEngine;
  readonly at = (path: string): string => join(this.root, path);
  #calls = 0;

  constructor() {
    const own = join(directory, String(workspaces++));
    this.root = join(own, 'workspace');
    mkdirSync(this.root, { recursive: true });
    for (const name of ['d', 'closed', 'd/inner']) mkdirSync(this.at(name));
    for (const name of ['a', 'unread', 'd/one', 'd/two', 'd/inner/deep', 'closed/secret'])
      writeFileSync(this.at(name), `${name} before`);
    chmodSync(this.at('unread'), 0);
    chmodSync(this.at('closed'), 0);
    const data = join(own, 'data');
    mkdirSync(data);
    this.engine = new UndoEngine({ data, limits });
  }

  /** Makes a call and returns its id. */
  call(act: () => void): string {
    const call = `call_${(this.#calls += 1)}`;
    const checkpoint = this.engine.begin(call, [this.root]);
    assert.ok('files' in checkpoint);
    act();
    this.engine.finish(call);
    return call;
  }

  undo(call: string, partial = false): WorkspaceUndoResult {
    const undone = this.engine.undo(call, partial);
    assert.ok('outcome' in undone);
    return undone;
  }

  shell(command: string): void {
    execFileSync('/bin/sh', ['-c', `${command} 2>/dev/null; :`], { cwd: this.root });
  }

  /** Reads a file whose mode or directory is closed. */
  read(path: string): string {
    chmodSync(join(this.at(path), '..'), 0o700);
    chmodSync(this.at(path), 0o600);
    return readFileSync(this.at(path), 'utf8');
  }
}

/** Runs `act` as a call, undoes it, and asserts that the workspace is as before. */
function assertUndone(act: (workspace: TestWorkspace) => void): void {
  const workspace = new TestWorkspace();
  const before = treeFingerprint(workspace.root);
  const call = workspace.call(() => act(workspace));
  const { outcome, conflicts } = workspace.undo(call);
  assert.deepEqual([outcome, conflicts], ['undone', []]);
  assert.deepEqual(treeFingerprint(workspace.root), before);
}

/** Runs `act` as a call. Asserts that a complete undo changes nothing, and that a partial one restores `a` and reports these paths. */
function assertReported(act: (workspace: TestWorkspace) => void, expected: Record<string, RegExp>): TestWorkspace {
  const workspace = new TestWorkspace();
  const call = workspace.call(() => {
    writeFileSync(workspace.at('a'), 'after');
    act(workspace);
  });
  const changed = treeFingerprint(workspace.root);
  assert.equal(workspace.undo(call).outcome, 'conflict');
  assert.deepEqual(treeFingerprint(workspace.root), changed);
  const { outcome, conflicts } = workspace.undo(call, true);
  assert.equal(outcome, 'partly-undone');
  assert.deepEqual(conflicts.map(({ path }) => path).toSorted(), Object.keys(expected).toSorted());
  for (const { path, reason } of conflicts) assert.match(reason, expected[path] ?? /^$/);
  assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'a before');
  return workspace;
}

describe('UndoEngine, for a user who cannot read every file', () => {
  test(
    'restores random trees after random shell commands, and reports each unread file that it cannot restore',
    { timeout: 900_000 },
    (t) => {
      const trees = isFull() ? 1000 : 150;
      const own = join(directory, 'trees');
      mkdirSync(own);
      const { changed, reported } = undoRandomTrees(own, trees);
      t.diagnostic(`seed ${runSeed}: ${changed} of ${trees} trees were changed, ${reported} with unread files`);
      assert.ok(changed > trees / 2 && reported > 0);
    },
  );

  test('undoes a call next to unreadable files and directories, which stay unchanged', () => {
    assertUndone(({ at }) => {
      writeFileSync(at('a'), 'after');
      rmSync(at('d'), { recursive: true });
    });
  });

  test('restores files and directories that the call made unreadable', () => {
    assertUndone((workspace) => {
      writeFileSync(workspace.at('a'), 'after');
      chmodSync(workspace.at('a'), 0);
      workspace.shell('chmod -R 644 d');
    });
    assertUndone(({ at }) => chmodSync(at('.'), 0));
  });

  test('restores changes in a directory that the call made unreadable afterward', () => {
    assertUndone(({ at }) => {
      writeFileSync(at('d/one'), 'after');
      unlinkSync(at('d/two'));
      writeFileSync(at('d/three'), 'new');
      unlinkSync(at('d/inner/deep'));
      mkdirSync(at('new/inner'), { recursive: true });
      writeFileSync(at('new/inner/file'), 'new');
      for (const path of ['new/inner', 'new', 'd/inner', 'd', '.']) chmodSync(at(path), 0o111);
    });
  });

  test('restores the mode of an unreadable file', () => {
    assertUndone(({ at }) => chmodSync(at('unread'), 0o644));
  });

  test('reports a changed or removed unreadable file, and restores the rest', () => {
    const reason = /^it could not be read before the call$/;
    assertReported(({ at }) => unlinkSync(at('unread')), { unread: reason });
    assertReported(
      ({ at }) => {
        chmodSync(at('unread'), 0o600);
        writeFileSync(at('unread'), 'after');
      },
      { unread: reason },
    );
  });

  test('does not remove an unreadable file at the path to which the call moved it', () => {
    const workspace = assertReported(
      ({ at }) => {
        mkdirSync(at('new'));
        renameSync(at('unread'), at('new/moved'));
      },
      {
        unread: /^it could not be read before the call$/,
        'new/moved': /^it is unread, which could not be read before the call$/,
        new: /^it contains moved, which is not removed$/,
      },
    );
    assert.equal(workspace.read('new/moved'), 'unread before');
  });

  test('does not remove the entries of a directory that the call made readable', () => {
    const workspace = assertReported(({ at }) => chmodSync(at('closed'), 0o755), {
      closed: /^its entries could not be read before the call$/,
    });
    assert.equal(statSync(workspace.at('closed')).mode & 0o777, 0);
    assert.equal(workspace.read('closed/secret'), 'closed/secret before');
  });

  test('reports an unreadable directory that was moved, or changed and made unreadable again, and does not remove it', () => {
    const moved = assertReported(({ at }) => renameSync(at('closed'), at('moved')), {
      closed: /^its entries could not be read before the call$/,
      moved: /^it is closed, which could not be read before the call$/,
    });
    assert.equal(moved.read('moved/secret'), 'closed/secret before');
    assertReported(
      ({ at }) => {
        const { atime, mtime } = statSync(at('closed'));
        chmodSync(at('closed'), 0o700);
        unlinkSync(at('closed/secret'));
        utimesSync(at('closed'), atime, mtime);
        chmodSync(at('closed'), 0);
      },
      { closed: /^its entries could not be read before the call$/ },
    );
  });

  test('a directory that an earlier call made unreadable does not block later calls', async () => {
    const workspace = new TestWorkspace();
    workspace.call(() => chmodSync(workspace.at('d'), 0));
    // Its stat is trusted once it is older than a tick of the clock of the file system.
    await delay(100);
    workspace.call(() => writeFileSync(workspace.at('a'), 'between'));
    const call = workspace.call(() => writeFileSync(workspace.at('a'), 'after'));
    assert.equal(workspace.undo(call).outcome, 'undone');
    assert.equal(readFileSync(workspace.at('a'), 'utf8'), 'between');
  });
});
