import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, suite, test } from 'node:test';
import { command, root } from '../support/command.ts';
import { inPage, writePrograms } from './programs.ts';

const hook = join(root, 'examples', 'support', 'from-source.ts');

suite('TypeScript in the documentation', { concurrency: 2 }, () => {
  const { directory, programs, examples, remove } = writePrograms();
  after(remove);

  test('compiles with the strictest settings, and so do the examples of the library reference', async () => {
    const { ok, output } = await command('tsc', ['--project', directory]);
    assert.ok(ok, inPage(output, [...programs, ...examples]));
    assert.ok(examples.length >= 6, 'the examples of the reference were found');
  });

  for (const { page, file } of programs)
    test(`${page} runs, its assertions pass, and it prints what it showed`, async () => {
      const child = spawn(process.execPath, ['--import', hook, file], {
        cwd: directory,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [errors, [code]] = await Promise.all([
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      assert.equal(code, 0, inPage(errors, programs));
    });
});
