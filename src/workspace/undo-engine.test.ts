import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { treeFingerprint } from '../../test/support/tree-fingerprint.ts';
import { ContentStore } from './content/content-store.ts';
import type { FileEntry } from './content/file-entry.ts';
import { type UndoResult, UndoEngine } from './undo-engine.ts';
import { WorkspaceTree } from './content/workspace-tree.ts';

const place = mkdtempSync(join(tmpdir(), 'signalbox-undo-'));
after(() => rmSync(place, { recursive: true, force: true }));
let places = 0;
const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };

class Workplace {
  readonly directory = join(place, String(places++));
  readonly data = join(this.directory, 'data');
  readonly root = join(this.directory, 'workspace');
  engine: UndoEngine;
  #calls = 0;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.data, { recursive: true });
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) writeFileSync(this.at(name), text);
    this.engine = this.open('first');
  }

  at(path: string): string {
    return join(this.root, path);
  }

  open(engine: string, gone: readonly string[] = []): UndoEngine {
    return new UndoEngine({ data: this.data, limits, deadEngines: gone, engine });
  }

  /** Runs the action as a call and returns the call's id. */
  call(act: () => void): string {
    const call = `call_${(this.#calls += 1)}`;
    this.engine.begin(call, [this.root]);
    act();
    this.engine.finish(call);
    return call;
  }

  undo(call: string, partial = false): UndoResult {
    const undone = this.engine.undo(call, partial);
    assert.ok('outcome' in undone);
    return undone;
  }
}

describe('conflicts', () => {
  test('a removed workspace does not come back where the way to it leads elsewhere by now', () => {
    const workplace = new Workplace();
    const root = workplace.at('in');
    mkdirSync(root);
    writeFileSync(join(root, 'a'), 'a');
    workplace.engine.begin('call_in', [root]);
    rmSync(root, { recursive: true });
    workplace.engine.finish('call_in');
    const elsewhere = workplace.at('elsewhere');
    mkdirSync(elsewhere);
    renameSync(workplace.root, `${workplace.root}-moved`);
    symlinkSync(`${workplace.root}-moved/elsewhere`, workplace.root);
    for (const there of [[], ['in']]) {
      for (const name of there) mkdirSync(join(`${workplace.root}-moved/elsewhere`, name));
      const undone = workplace.undo('call_in', true);
      assert.equal(undone.outcome, 'partly-undone');
      assert.deepEqual(readdirSync(`${workplace.root}-moved/elsewhere`, { recursive: true }), there);
    }
  });

  test('whatever others do to a path after the call is reported and left as it is', () => {
    const later: Record<string, (at: (path: string) => string) => void> = {
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
      'the removed b is written again': (at) => writeFileSync(at('b'), 'again'),
      'something is put into the new directory': (at) => writeFileSync(at('new/theirs'), 'theirs'),
      'the new directory becomes a symlink': (at) => {
        renameSync(at('new'), at('elsewhere'));
        symlinkSync('elsewhere', at('new'));
      },
    };
    for (const [what, act] of Object.entries(later)) {
      const workplace = new Workplace({ a: 'a', b: 'b' });
      const call = workplace.call(() => {
        writeFileSync(workplace.at('a'), 'by the call');
        unlinkSync(workplace.at('b'));
        mkdirSync(workplace.at('new'));
      });
      act((path) => workplace.at(path));
      const since = treeFingerprint(workplace.root);
      const undone = workplace.undo(call);
      assert.equal(undone.outcome, 'conflict', what);
      assert.equal(undone.conflicts.length, 1, what);
      assert.deepEqual(treeFingerprint(workplace.root), since, what);
      const [conflict] = workplace.undo(call, true).conflicts;
      const now = treeFingerprint(workplace.root);
      const path = `/${conflict?.path}`;
      assert.equal(now.get(path), since.get(path), what);
    }
  });

  test('what others did elsewhere stays, and does not stand in the way', () => {
    const workplace = new Workplace({ a: 'a', b: 'b' });
    const call = workplace.call(() => writeFileSync(workplace.at('a'), 'by the call'));
    writeFileSync(workplace.at('b'), 'by a human');
    writeFileSync(workplace.at('c'), 'by a human');
    assert.equal(workplace.undo(call).outcome, 'undone');
    assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'a');
    assert.equal(readFileSync(workplace.at('b'), 'utf8'), 'by a human');
    assert.ok(existsSync(workplace.at('c')));
  });
});

describe('the edge of the workspace', () => {
  test('a directory replaced by a symlink to the outside leads no restore and no removal there', () => {
    const workplace = new Workplace();
    const outside = join(workplace.directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'changed'), 'outside');
    writeFileSync(join(outside, 'added'), 'outside');
    mkdirSync(workplace.at('d'));
    writeFileSync(workplace.at('d/changed'), 'before');
    writeFileSync(workplace.at('d/removed'), 'before');
    const call = workplace.call(() => {
      writeFileSync(workplace.at('d/changed'), 'after');
      writeFileSync(workplace.at('d/added'), 'after');
      unlinkSync(workplace.at('d/removed'));
    });
    rmSync(workplace.at('d'), { recursive: true });
    symlinkSync(outside, workplace.at('d'));
    const before = treeFingerprint(outside);
    const undone = workplace.undo(call, true);
    assert.deepEqual(undone.conflicts.map(({ path }) => path).toSorted(), ['d/changed', 'd/removed']);
    assert.deepEqual(treeFingerprint(outside), before);
    assert.equal(readlinkSync(workplace.at('d')), outside);
  });

  test('a symlink is kept as a symlink: what it leads to is neither kept nor restored', () => {
    const workplace = new Workplace();
    const outside = join(workplace.directory, 'outside');
    writeFileSync(outside, 'outside');
    symlinkSync(outside, workplace.at('link'));
    symlinkSync('nowhere', workplace.at('dangling'));
    const call = workplace.call(() => {
      writeFileSync(workplace.at('link'), 'through the link');
      unlinkSync(workplace.at('dangling'));
    });
    assert.deepEqual(
      workplace.undo(call).changes.map(({ path }) => path),
      ['dangling'],
    );
    assert.equal(readFileSync(outside, 'utf8'), 'through the link');
    assert.equal(readlinkSync(workplace.at('dangling')), 'nowhere');
  });

  test('Signalbox’s own data is no part of a workspace it stands in', () => {
    const workplace = new Workplace();
    workplace.engine.begin('call_1', [workplace.directory]);
    writeFileSync(join(workplace.data, 'signalbox.db'), 'recorded meanwhile');
    assert.equal(workplace.engine.finish('call_1').total, 0);
  });
});

describe('looking', () => {
  test('a change that leaves size and time as they were is seen', () => {
    const workplace = new Workplace({ a: 'one' });
    utimesSync(workplace.at('a'), 1_000_000, 1_000_000);
    const call = workplace.call(() => {
      writeFileSync(workplace.at('a'), 'two');
      utimesSync(workplace.at('a'), 1_000_000, 1_000_000);
    });
    assert.equal(workplace.undo(call).total, 1);
    assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'one');
  });

  // With a coarse clock, a second change in the same tick leaves the same stat. The test simulates such an entry.
  test('what changed just before a look is read again at the next, and trusted only when it is older', async () => {
    const workplace = new Workplace({ a: 'now' });
    const contents = new ContentStore(join(workplace.directory, 'content'));
    const tree = new WorkspaceTree(workplace.root, contents, limits, '');
    const kept = (): { entry: FileEntry; isSettled: boolean } | undefined =>
      [...tree.entries()].find(({ path }) => path === 'a');
    // Simulates a change at this moment, independent of the speed of the machine.
    utimesSync(workplace.at('a'), Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    tree.scan();
    const seen = kept();
    assert.ok(seen !== undefined);
    assert.equal(seen.isSettled, false);
    tree.load({ path: 'a', entry: { ...seen.entry, content: 'what was there before' }, isSettled: seen.isSettled });
    assert.deepEqual(
      tree.scan().changes.map(({ path, after: found }) => [path, found?.content]),
      [['a', seen.entry.content]],
    );
    utimesSync(workplace.at('a'), 1_000_000, 1_000_000.5);
    await delay(100);
    tree.scan();
    assert.equal(kept()?.isSettled, true);
  });

  test('large files are restored, and kept once', () => {
    const workplace = new Workplace();
    const large = Buffer.alloc(3_000_000, 'large');
    writeFileSync(workplace.at('large'), large);
    const call = workplace.call(() => truncateSync(workplace.at('large'), 10));
    assert.equal(workplace.undo(call).outcome, 'undone');
    assert.deepEqual(readFileSync(workplace.at('large')), large);
  });

  test('a FIFO is passed over and told, not waited for', () => {
    const workplace = new Workplace({ a: 'a' });
    execFileSync('/bin/sh', ['-c', 'mkfifo pipe'], { cwd: workplace.root });
    workplace.engine.begin('call_1', [workplace.root]);
    writeFileSync(workplace.at('a'), 'b');
    const { skipped, total } = workplace.engine.finish('call_1');
    assert.equal(total, 1);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['pipe'],
    );
    assert.equal(workplace.undo('call_1').outcome, 'undone');
    assert.ok(lstatSync(workplace.at('pipe')).isFIFO());
  });

  test('an index that another process wrote, or that was cut short, is not trusted blindly', () => {
    const workplace = new Workplace({ a: 'a', b: 'b' });
    workplace.call(() => writeFileSync(workplace.at('a'), 'one'));
    const other = workplace.open('second');
    other.begin('call_other', [workplace.root]);
    writeFileSync(workplace.at('a'), 'two');
    other.finish('call_other');
    const [index = ''] = readdirSync(join(workplace.data, 'undo', 'workspaces'));
    appendFileSync(join(workplace.data, 'undo', 'workspaces', index), '["b",0,420,0,0,1');
    const before = treeFingerprint(workplace.root);
    const call = workplace.call(() => writeFileSync(workplace.at('b'), 'three'));
    assert.deepEqual(
      workplace.undo(call).changes.map(({ path }) => path),
      ['b'],
    );
    assert.deepEqual(treeFingerprint(workplace.root), before);
  });
});

describe('other processes', () => {
  test('nobody begins where another is at work, nor above nor below it', () => {
    const workplace = new Workplace();
    mkdirSync(workplace.at('below'));
    const other = workplace.open('second');
    workplace.engine.begin('call_1', [workplace.root]);
    for (const workspace of [workplace.root, workplace.at('below'), workplace.directory])
      assert.deepEqual(other.begin('call_2', [workspace]), { busy: 'call_1' });
    workplace.engine.finish('call_1');
    assert.ok('files' in other.begin('call_2', [workplace.root]));
  });

  test('a call that died with its process can be undone', () => {
    const workplace = new Workplace({ a: 'a' });
    const before = treeFingerprint(workplace.root);
    workplace.engine.begin('call_1', [workplace.root]);
    writeFileSync(workplace.at('a'), 'half done');
    workplace.engine = workplace.open('second', ['first']);
    assert.equal(workplace.engine.changesOf('call_1')?.interrupted, true);
    assert.equal(workplace.undo('call_1').outcome, 'undone');
    assert.deepEqual(treeFingerprint(workplace.root), before);
  });
});

describe('retention', () => {
  test('what no kept call and no present state needs is removed; the rest can still be undone', () => {
    const workplace = new Workplace({ a: 'one' });
    const first = workplace.call(() => writeFileSync(workplace.at('a'), 'two'));
    const between = Date.now() + 1;
    while (Date.now() <= between);
    const second = workplace.call(() => writeFileSync(workplace.at('a'), 'three'));
    const freed = workplace.engine.sweep({ since: between, bytes: 1e9 });
    assert.equal(freed, 'one'.length);
    assert.equal(workplace.engine.changesOf(first), undefined);
    assert.equal(workplace.undo(second).outcome, 'undone');
    assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'two');
    assert.equal(workplace.engine.sweep({ since: 0, bytes: 0 }), 'two'.length, 'too much is too much');
  });

  test('a damaged content is found out, and nothing is restored from it', () => {
    const workplace = new Workplace({ a: 'one' });
    const call = workplace.call(() => writeFileSync(workplace.at('a'), 'two'));
    const contents = join(workplace.data, 'undo', 'content');
    for (const folder of readdirSync(contents))
      for (const name of readdirSync(join(contents, folder)))
        if (
          statSync(join(contents, folder, name)).size === 3 &&
          readFileSync(join(contents, folder, name), 'utf8') === 'one'
        )
          writeFileSync(join(contents, folder, name), 'eno');
    assert.throws(() => workplace.undo(call), { code: 'undo-unavailable' });
    assert.equal(readFileSync(workplace.at('a'), 'utf8'), 'two');
  });
});
