import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command } from '../support/command.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { failingIn, failingWritesLibrary } from './failing-writes.ts';

const directory = createMemoryDirectory('sick-disk');
after(() => rmSync(directory, { recursive: true, force: true }));
const program = fileURLToPath(new URL('./sick-disk-process.ts', import.meta.url));
const library = failingWritesLibrary(directory);
const skip = library === undefined && 'no C compiler is installed';

describe('disk that fails for a while', () => {
  for (const [operation, suffix, promise] of [
    ['flush', '-wal', 'after a failed flush the log starts again, because its content may not be on the disk'],
    ['checkpoint', '', 'after failed checkpoints the log is moved into the database again'],
  ] as const)
    test(promise, { skip }, async () => {
      assert.ok(library !== undefined);
      const file = join(directory, operation, 'signalbox.db');
      mkdirSync(dirname(file));
      const environment = Object.entries(failingIn(`${file}${suffix}`, library)).map((pair) => pair.join('='));
      const { ok, output } = await command('env', [...environment, process.execPath, program, operation, file]);
      assert.ok(ok, output);
    });
});
