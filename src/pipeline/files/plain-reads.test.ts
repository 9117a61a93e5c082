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

/** Returns a check in whose clock each read comes long after the one before, so that directories are listed again. */
function plainReadCheck(): (args: JsonObject) => boolean {
  let now = 0;
  const plain = new PlainReads(() => (now += 1000));
  return (args) =>
    plain.isPlain({ arguments: args, server: 'files', workspace }, 1, () => ({ bases: new Set([base]), search }));
}

describe('PlainReads', () => {
  writeFileSync(join(base, 'Notes.txt'), '');

  test('accepts strings that are not names of entries of a base directory', () => {
    const isPlain = plainReadCheck();
    assert.equal(isPlain({ text: 'hello', list: ['a b', 'c'], count: 3, deep: { more: 'd' }, empty: '' }), true);
    assert.equal(isPlain({}), true);
  });

  test('rejects a string that may be a path, a command or the name of an entry, in upper or lower case', () => {
    const isPlain = plainReadCheck();
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

  test('notices a new entry of a base directory', () => {
    const isPlain = plainReadCheck();
    for (let index = 0; index < 20; index += 1) {
      const name = `link${index}`;
      assert.equal(isPlain({ name }), true);
      symlinkSync('/etc', join(base, name));
      assert.equal(isPlain({ name }), false, name);
    }
  });

  test('rejects every string when a base directory cannot be listed', () => {
    const plain = new PlainReads();
    const bases = new Set([join(base, 'Notes.txt')]);
    assert.equal(
      plain.isPlain({ arguments: { name: 'a' }, server: 'files', workspace }, 1, () => ({ bases, search })),
      false,
    );
  });

  test('uses the base directories of the current configuration version', () => {
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
