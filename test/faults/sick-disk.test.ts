import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command } from '../support/command.ts';
import { createMemoryDirectory } from '../support/memory-directory.ts';
import { failingIn, failingWritesLibrary } from './failing-writes.ts';

const place = createMemoryDirectory('sick-disk');
after(() => rmSync(place, { recursive: true, force: true }));
const program = fileURLToPath(new URL('./sick-disk-process.ts', import.meta.url));
const library = failingWritesLibrary(place);
const skip = library === undefined && 'no C compiler here';

describe('a disk that fails for a while', () => {
  for (const [what, ending, promise] of [
    ['flush', '-wal', 'after a failed flush the log begins anew, because what it holds may not be on the disk'],
    ['checkpoint', '', 'the log is moved into the database again'],
  ] as const)
    test(promise, { skip }, async () => {
      assert.ok(library !== undefined);
      const file = join(place, what, 'signalbox.db');
      mkdirSync(dirname(file));
      const environment = Object.entries(failingIn(`${file}${ending}`, library)).map((pair) => pair.join('='));
      const { ok, output } = await command('env', [...environment, process.execPath, program, what, file]);
      assert.ok(ok, output);
    });
});
