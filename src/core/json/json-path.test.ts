import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPath } from './json.ts';

test('a path reads as one would write it in code', () => {
  assert.equal(jsonPath([]), '$');
  assert.equal(jsonPath(['items', 2, 'price']), '$.items[2].price');
  assert.equal(jsonPath(['größe', '$ref', 'data-id', '_x']), '$.größe.$ref.data-id._x');
});

test('keys that would be misread are quoted', () => {
  assert.equal(jsonPath(['a.b', '', '7', 'say "hi"\n']), String.raw`$["a.b"][""]["7"]["say \"hi\"\n"]`);
  assert.equal(jsonPath([Symbol('tag')]), '$["Symbol(tag)"]');
});

test('a very long path is cut in the middle', () => {
  const path = jsonPath(Array.from({ length: 1000 }, (_, index) => index));
  assert.equal(path.length, 201);
  assert.ok(path.startsWith('$[0][1][2]') && path.endsWith('[998][999]'));
});
