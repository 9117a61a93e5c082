import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../core/json/json.ts';
import { DirectoryListings } from './directory-listings.ts';
import { PathFreeReads } from './path-free-reads.ts';
import { NameSearch } from './text-names.ts';

const base = mkdtempSync(join(tmpdir(), 'signalbox-path-free-reads-'));
after(() => rmSync(base, { recursive: true, force: true }));

const workspace: readonly string[] = [];
const search = new NameSearch(['.signalbox'], ['/home/u/.signalbox']);

/** Returns a check in whose clock each read comes long after the one before, so that directories are listed again. */
function pathFreeCheck(): (args: JsonObject) => boolean {
  let now = 0;
  const reads = new PathFreeReads(new DirectoryListings(), () => (now += 1000));
  return (args) =>
    reads.isPathFree({ arguments: args, server: 'files', workspace }, 1, 0, () => ({ bases: new Set([base]), search }));
}

describe('PathFreeReads', () => {
  writeFileSync(join(base, 'Notes.txt'), '');

  test('accepts strings that are not names of entries of a base directory', () => {
    const isPathFree = pathFreeCheck();
    assert.equal(isPathFree({ text: 'hello', list: ['a b', 'c'], count: 3, deep: { more: 'd' }, empty: '' }), true);
    assert.equal(isPathFree({}), true);
  });

  test('rejects a string that may be a path, a command or the name of an entry, in upper or lower case', () => {
    const isPathFree = pathFreeCheck();
    for (const text of [
      'a/b',
      '..',
      '~',
      '$HOME',
      'file:x',
      '.signalbox',
      'a\\b',
      ' a',
      'a\0',
      'x'.repeat(256),
      'notes.TXT',
      'Notes.txt. '.trim(),
    ])
      assert.equal(isPathFree({ text }), false, text);
    assert.equal(isPathFree({ command: 'ls' }), false);
    assert.equal(isPathFree({ 'a/b': 1 }), false);
  });

  test('notices a new entry of a base directory', () => {
    const isPathFree = pathFreeCheck();
    for (let index = 0; index < 20; index += 1) {
      const name = `link${index}`;
      assert.equal(isPathFree({ name }), true);
      symlinkSync('/etc', join(base, name));
      assert.equal(isPathFree({ name }), false, name);
    }
  });

  test('rejects every string when a base directory cannot be listed', () => {
    const reads = new PathFreeReads();
    const bases = new Set([join(base, 'Notes.txt')]);
    assert.equal(
      reads.isPathFree({ arguments: { name: 'a' }, server: 'files', workspace }, 1, 0, () => ({ bases, search })),
      false,
    );
  });

  test('uses the base directories of the current configuration version', () => {
    const reads = new PathFreeReads();
    const read = { arguments: { name: 'notes.txt' }, server: 'files', workspace };
    assert.equal(
      reads.isPathFree(read, 1, 0, () => ({ bases: new Set(['/nowhere']), search })),
      true,
    );
    assert.equal(
      reads.isPathFree(read, 2, 0, () => ({ bases: new Set([base]), search })),
      false,
    );
  });
});
