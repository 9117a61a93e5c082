import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { becomeOrdinaryUser } from '../../test/support/ordinary-user.ts';
import { explainStart } from './explain-process.ts';
import { ProcessGroup, type ProgramOptions } from './process-group.ts';

becomeOrdinaryUser();
const place = mkdtempSync(join(tmpdir(), 'signalbox-programs-'));
const [closed, open] = [join(place, 'closed'), join(place, 'open')];
for (const directory of [closed, open]) {
  mkdirSync(directory);
  writeFileSync(join(directory, 'not-executable'), '');
}
writeFileSync(join(open, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
chmodSync(closed, 0);
after(() => {
  chmodSync(closed, 0o700);
  rmSync(place, { recursive: true });
});

/** Starts the program for real, and explains why that failed. */
async function failedStart(options: ProgramOptions, path = [closed, open]): Promise<string> {
  const program = { ...options, env: { PATH: path.join(delimiter) } };
  const [error] = (await once(new ProcessGroup(program).child, 'error').catch((thrown: Error) => [thrown])) as [Error];
  return explainStart(program, error);
}

describe('a program that cannot be started', () => {
  test('a missing program was not found, even when a directory of the PATH may not be searched', async () => {
    assert.equal(await failedStart({ command: 'missing' }, [open]), 'the program "missing" was not found');
    assert.equal(
      await failedStart({ command: 'missing' }),
      `the program "missing" was not found (this user has no permission to search ${closed})`,
    );
    assert.match(
      await failedStart({ command: 'missing a.mjs' }),
      /did you mean command "missing" with args \["a\.mjs"\]\?$/,
    );
    const below = join(closed, 'program');
    assert.match(
      await failedStart({ command: below }),
      /was not found \(this user has no permission to search .*closed\)$/,
    );
  });

  test('a program without execute permission is named with its path', async () => {
    assert.equal(
      await failedStart({ command: 'not-executable' }),
      `the program "not-executable" cannot be run: this user has no permission to execute ${join(open, 'not-executable')}`,
    );
  });

  test('a directory that is missing or closed is the reason, and not the program', async () => {
    const missing = join(place, 'missing');
    assert.equal(
      await failedStart({ command: 'script', cwd: missing }),
      `the program "script" could not be started: the directory ${missing} does not exist`,
    );
    assert.equal(
      await failedStart({ command: 'script', cwd: closed }),
      `the program "script" could not be started: the directory ${closed} cannot be entered by this user`,
    );
  });

  test('a script whose interpreter is missing is not reported as missing', async () => {
    assert.equal(
      await failedStart({ command: './script', cwd: open }),
      `the program "./script" could not be started: the interpreter named in the first line of ${join(open, 'script')} was not found`,
    );
  });
});
