import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { root } from '../../support/command.ts';
import { unexportedTypes } from './library.ts';
import { referencePages } from './reference-pages.ts';

const place = join(root, 'docs', 'reference');

suite('the reference', async () => {
  const made = await referencePages();

  for (const [name, text] of made)
    test(`${name} says what the code says (npm run reference)`, () => {
      assert.equal(readFileSync(join(place, name), 'utf8'), text, 'the code has changed: run npm run reference');
    });

  test('has no page left over from code that is gone', () => {
    const kept = globSync('**/*.md', { cwd: place }).filter((name) =>
      readFileSync(join(place, name), 'utf8').startsWith('<!-- Made by'),
    );
    assert.deepEqual(new Set(kept), new Set(made.keys()));
  });

  test('names only types in public signatures that an entry exports', () => {
    assert.deepEqual(unexportedTypes(), []);
  });

  test('describes every symbol, command, key and route', () => {
    const bare = [...made].flatMap(([name, text]) =>
      [...text.matchAll(/^#{3,4} (.+)\n\n\n/gm)].map(([, heading]) => `${name}: ${heading}`),
    );
    assert.deepEqual(bare, []);
  });
});
