import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { isFull } from '../../test/support/faults.ts';
import { createMemoryDirectory } from '../../test/support/memory-directory.ts';
import { removeTree, undoRandomTrees } from '../../test/support/random-trees.ts';
import { runSeed } from '../../test/support/seeded.ts';

// Thousands of files are flushed to the disk one by one.
const place = createMemoryDirectory('undo');
after(() => removeTree(place));

describe('undo of shell commands', () => {
  test(`random trees changed by random shell commands are restored byte for byte`, { timeout: 900_000 }, (t) => {
    const trees = isFull() ? 1000 : 150;
    const { changed, reported } = undoRandomTrees(place, trees);
    t.diagnostic(`seed ${runSeed}: ${changed} of ${trees} trees were changed, ${reported} with unread files`);
    assert.ok(changed > trees / 2);
  });
});
