import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { isFull } from '../../test/support/faults.ts';
import { createMemoryDirectory } from '../../test/support/temporary-directory.ts';
import { removeTree, undoRandomTrees } from '../../test/support/undo/random-trees.ts';
import { runSeed } from '../../test/support/seeded.ts';

// In memory, because thousands of files are flushed one by one.
const directory = createMemoryDirectory('undo');
after(() => removeTree(directory));

describe('UndoEngine, random trees', () => {
  test('restores random trees byte for byte after random shell commands', { timeout: 900_000 }, (t) => {
    const trees = isFull() ? 1000 : 150;
    const { changed, reported } = undoRandomTrees(directory, trees);
    t.diagnostic(`seed ${runSeed}: ${changed} of ${trees} trees were changed, ${reported} with unread files`);
    assert.ok(changed > trees / 2);
  });
});
