import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFileOnce } from './atomic-file.ts';

test('createFileOnce creates a private file, keeps the first content, and leaves no temporary file', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-once-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'inner', 'key');
  createFileOnce(file, 'first');
  createFileOnce(file, 'second');
  assert.equal(readFileSync(file, 'utf8'), 'first');
  assert.deepEqual(readdirSync(join(directory, 'inner')), ['key']);
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
});
