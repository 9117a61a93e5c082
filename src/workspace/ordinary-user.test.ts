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
import { createMemoryDirectory } from '../../test/support/memory-directory.ts';
import { dropRootPrivileges } from '../../test/support/ordinary-user.ts';
import { removeTree, undoRandomTrees } from '../../test/support/random-trees.ts';
import { runSeed } from '../../test/support/seeded.ts';
import { treeFingerprint } from '../../test/support/tree-fingerprint.ts';
import { type UndoResult, UndoEngine } from './undo-engine.ts';

// Root may read everything, so the tests would prove nothing as root.
dropRootPrivileges();
const place = createMemoryDirectory('ordinary-undo');
after(() => removeTree(place));
const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };
let places = 0;

/** A workspace with an open directory `d`, a closed directory `closed`, and a file `unread`; each holds something. */
class Workplace {
  readonly root: string;
  readonly engine: UndoEngine;
  readonly at = (path: string): string => join(this.root, path);
  #calls = 0;

  constructor() {
    const directory = join(place, String(places++));
    this.root = join(directory, 'workspace');
    mkdirSync(this.root, { recursive: true });
    for (const name of ['d', 'closed', 'd/inner']) mkdirSync(this.at(name));
    for (const name of ['a', 'unread', 'd/one', 'd/two', 'd/inner/deep', 'closed/secret'])
      writeFileSync(this.at(name), `${name} before`);
    chmodSync(this.at('unread'), 0);
    chmodSync(this.at('closed'), 0);
    const data = join(directory, 'data');
    mkdirSync(data);
    this.engine = new UndoEngine({ data, limits, deadEngines: [], engine: 'test' });
  }

  /** Makes a call and returns its id. */
  call(act: () => void): string {
    const call = `call_${(this.#calls += 1)}`;
    const begun = this.engine.begin(call, [this.root]);
    assert.ok('files' in begun);
    act();
    this.engine.finish(call);
    return call;
  }

  undo(call: string, partial = false): UndoResult {
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

/** Runs `act` as a call, undoes it, and expects everything to be as it was. */
function assertUndone(act: (workplace: Workplace) => void): void {
  const workplace = new Workplace();
  const before = treeFingerprint(workplace.root);
  const call = workplace.call(() => act(workplace));
  const { outcome, conflicts } = workplace.undo(call);
  assert.deepEqual([outcome, conflicts], ['undone', []]);
  assert.deepEqual(treeFingerprint(workplace.root), before);
}

/** Runs `act` as a call and expects an undo to touch nothing, and one of the rest to restore `a` and to report these paths. */
function assertReported(act: (workplace: Workplace) => void, expected: Record<string, RegExp>): Workplace {
  const workplace = new Workplace();
  const call = workplace.call(() => {
    writeFileSync(workplace.at('a'), 'after');
    act(workplace);
  });
  const left = treeFingerprint(workplace.root);
  assert.equal(workplace.undo(call).outcome, 'conflict');
  assert.deepEqual(treeFingerprint(workplace.root), left);
  const { outcome, conflicts } = workplace.undo(call, true);
  assert.equal(outcome, 'partly-undone');
  assert.deepEqual(conflicts.map(({ path }) => path).toSorted(), Object.keys(expected).toSorted());
  for (const { path, reason } of conflicts) assert.match(reason, expected[path] ?? /^$/);
  assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'a before');
  return workplace;
}

describe('undo by a user who may not read everything', () => {
  test(
    'random trees changed by random shell commands are restored, and each unread file that is not is reported',
    { timeout: 900_000 },
    (t) => {
      const trees = isFull() ? 1000 : 150;
      const own = join(place, 'trees');
      mkdirSync(own);
      const { changed, reported } = undoRandomTrees(own, trees);
      t.diagnostic(`seed ${runSeed}: ${changed} of ${trees} trees were changed, ${reported} with unread files`);
      assert.ok(changed > trees / 2 && reported > 0);
    },
  );

  test('a call beside closed files and directories is undone, and they stay as they are', () => {
    assertUndone(({ at }) => {
      writeFileSync(at('a'), 'after');
      rmSync(at('d'), { recursive: true });
    });
  });

  test('files and directories that the call has closed are restored', () => {
    assertUndone((workplace) => {
      writeFileSync(workplace.at('a'), 'after');
      chmodSync(workplace.at('a'), 0);
      workplace.shell('chmod -R 644 d');
    });
    assertUndone(({ at }) => chmodSync(at('.'), 0));
  });

  test('changes inside a directory that the call has closed afterwards are restored', () => {
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

  test('the mode of a file that could not be read is restored', () => {
    assertUndone(({ at }) => chmodSync(at('unread'), 0o644));
  });

  test('a changed or removed file that could not be read is reported, and the rest is restored', () => {
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

  test('a file that could not be read and was moved is not removed where it is now', () => {
    const workplace = assertReported(
      ({ at }) => {
        mkdirSync(at('new'));
        renameSync(at('unread'), at('new/moved'));
      },
      {
        unread: /^it could not be read before the call$/,
        'new/moved': /^it is unread, which could not be read before the call$/,
        new: /^it holds moved, which stays$/,
      },
    );
    assert.equal(workplace.read('new/moved'), 'unread before');
  });

  test('entries of a directory that the call has opened are not taken for new and removed', () => {
    const workplace = assertReported(({ at }) => chmodSync(at('closed'), 0o755), {
      closed: /^its entries could not be read before the call$/,
    });
    assert.equal(statSync(workplace.at('closed')).mode & 0o777, 0);
    assert.equal(workplace.read('closed/secret'), 'closed/secret before');
  });

  test('a closed directory that was moved, or changed and closed again, is reported and not removed', () => {
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

  test('a directory that an earlier call has closed does not block later calls', async () => {
    const workplace = new Workplace();
    workplace.call(() => chmodSync(workplace.at('d'), 0));
    // Its stat is trusted once it is older than a tick of the clock of the file system.
    await delay(100);
    workplace.call(() => writeFileSync(workplace.at('a'), 'between'));
    const call = workplace.call(() => writeFileSync(workplace.at('a'), 'after'));
    assert.equal(workplace.undo(call).outcome, 'undone');
    assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'between');
  });
});
