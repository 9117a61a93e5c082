import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { dropRootPrivileges } from '../../test/support/processes/ordinary-user.ts';
import { explainStart } from './explain-process.ts';
import { ProcessGroup, type ProgramOptions } from './process-group.ts';

dropRootPrivileges();
const directory = mkdtempSync(join(tmpdir(), 'signalbox-programs-'));
const [closed, open] = [join(directory, 'closed'), join(directory, 'open')];
for (const each of [closed, open]) {
  mkdirSync(each);
  writeFileSync(join(each, 'not-executable'), '');
}
writeFileSync(join(open, 'script'), '#!/no/such/interpreter\n', { mode: 0o755 });
chmodSync(closed, 0);
after(() => {
  chmodSync(closed, 0o700);
  rmSync(directory, { recursive: true });
});

/** Starts the program and returns the explanation of the failure. */
async function failedStart(options: ProgramOptions, path = [closed, open]): Promise<string> {
  const program = { ...options, env: { PATH: path.join(delimiter) } };
  const [error] = (await once(new ProcessGroup(program).child, 'error').catch((thrown: Error) => [thrown])) as [Error];
  return explainStart(program, error);
}

describe('explainStart', () => {
  test('reports a missing program, even when a directory of the PATH cannot be searched', async () => {
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

  test('reports the path of a program without execute permission', async () => {
    assert.equal(
      await failedStart({ command: 'not-executable' }),
      `the program "not-executable" cannot be run: this user has no permission to execute ${join(open, 'not-executable')}`,
    );
  });

  test('reports a working directory that is missing or inaccessible', async () => {
    const missing = join(directory, 'missing');
    assert.equal(
      await failedStart({ command: 'script', cwd: missing }),
      `the program "script" could not be started: the directory ${missing} does not exist`,
    );
    assert.equal(
      await failedStart({ command: 'script', cwd: closed }),
      `the program "script" could not be started: the directory ${closed} cannot be entered by this user`,
    );
  });

  test('reports the missing interpreter of a script', async () => {
    assert.equal(
      await failedStart({ command: './script', cwd: open }),
      `the program "./script" could not be started: the interpreter named in the first line of ${join(open, 'script')} was not found`,
    );
  });
});
