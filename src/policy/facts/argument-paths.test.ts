import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizePath } from './argument-paths.ts';

test('normalizePath returns one form for all spellings of a path', () => {
  const paths = fc.string({ unit: fc.constantFrom('/', '.', 'a', '\\', '\n'), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(paths, (path) => {
      const normal = posix.normalize(path.replaceAll('\\', '/'));
      assert.equal(normalizePath(path), normal.length > 1 ? normal.replace(/\/$/, '') : normal);
    }),
    { seed: 4, numRuns: 20_000 },
  );
});
