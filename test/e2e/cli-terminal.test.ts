import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { Place, finished, launcher } from './cli-place.ts';

const probe = spawnSync('script', ['--version'], { encoding: 'utf8' });
const isThere = probe.error === undefined && probe.stdout.includes('util-linux');
const skip = isThere ? {} : { skip: 'needs script of util-linux to make a terminal' };
const colour = '\u001b[';

describe('colours', () => {
  const place = new Place();
  let commands: readonly (readonly string[])[] = [];
  before(async () => {
    const { callId } = await place.json(['call', 'ping']);
    commands = [['journal'], ['policy', 'explain', String(callId)]];
  });

  async function atTerminal(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
    const command = [process.execPath, launcher, ...args].join(' ');
    const { NO_COLOR: _, ...inherited } = process.env;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: place.directory,
      env: { ...inherited, SIGNALBOX_HOME: place.data, TERM: 'xterm', ...environment },
    });
    child.stdin.end();
    return (await finished(child)).stdout;
  }

  test('are for terminals, and never shown as text', skip, async () => {
    for (const args of commands) {
      const text = await atTerminal(args, {});
      assert.ok(text.includes(colour), text);
      assert.doesNotMatch(text, /\\u001b/);
    }
  });

  test('are left out for NO_COLOR, for a terminal without them, and in a pipe', skip, async () => {
    for (const args of commands) {
      assert.ok(!(await atTerminal(args, { NO_COLOR: '1' })).includes(colour));
      assert.ok(!(await atTerminal(args, { TERM: 'dumb' })).includes(colour));
      assert.ok(!(await place.run(args)).stdout.includes(colour));
    }
  });
});
