import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../core/json/json.ts';
import { PlainReads } from './plain-reads.ts';
import { NameSearch } from './text-names.ts';

const base = mkdtempSync(join(tmpdir(), 'signalbox-plain-reads-'));
after(() => rmSync(base, { recursive: true, force: true }));

const workspace: readonly string[] = [];
const search = new NameSearch(['.signalbox'], ['/home/u/.signalbox']);

/** Makes reads, each long after the one before. */
function reads(): (args: JsonObject) => boolean {
  let now = 0;
  const plain = new PlainReads(() => (now += 1000));
  return (args) =>
    plain.isPlain({ arguments: args, server: 'files', workspace }, 1, () => ({ bases: new Set([base]), search }));
}

describe('a read is plain', () => {
  writeFileSync(join(base, 'Notes.txt'), '');

  test('when its strings are names that no base directory has', () => {
    const isPlain = reads();
    assert.equal(isPlain({ text: 'hello', list: ['a b', 'c'], count: 3, deep: { more: 'd' }, empty: '' }), true);
    assert.equal(isPlain({}), true);
  });

  test('and is not when a string may be a path, a command or the name of an entry, in any case', () => {
    const isPlain = reads();
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
      assert.equal(isPlain({ text }), false, text);
    assert.equal(isPlain({ command: 'ls' }), false);
    assert.equal(isPlain({ 'a/b': 1 }), false);
  });

  test('until the directory has an entry of that name', () => {
    const isPlain = reads();
    for (let index = 0; index < 20; index += 1) {
      const name = `link${index}`;
      assert.equal(isPlain({ name }), true);
      symlinkSync('/etc', join(base, name));
      assert.equal(isPlain({ name }), false, name);
    }
  });

  test('and is not in a directory that cannot be listed', () => {
    const plain = new PlainReads();
    const bases = new Set([join(base, 'Notes.txt')]);
    assert.equal(
      plain.isPlain({ arguments: { name: 'a' }, server: 'files', workspace }, 1, () => ({ bases, search })),
      false,
    );
  });

  test('in the directories of the present configuration', () => {
    const plain = new PlainReads();
    const read = { arguments: { name: 'notes.txt' }, server: 'files', workspace };
    assert.equal(
      plain.isPlain(read, 1, () => ({ bases: new Set(['/nowhere']), search })),
      true,
    );
    assert.equal(
      plain.isPlain(read, 2, () => ({ bases: new Set([base]), search })),
      false,
    );
  });
});
