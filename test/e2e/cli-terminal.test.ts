import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CliProject, waitForExit, onTerminal } from './cli-project.ts';

const escape = '\u001b[';

describe('colors', () => {
  const project = new CliProject();
  let commands: readonly (readonly string[])[] = [];
  before(async () => {
    const { callId } = await project.json(['call', 'ping']);
    commands = [['journal'], ['policy', 'explain', String(callId)]];
  });

  async function printOnTerminal(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const child = project.startOnTerminal(args, { NO_COLOR: undefined, ...environment });
    child.stdin.end();
    return (await waitForExit(child)).stdout;
  }

  test('are printed on a terminal, and never as escaped text', onTerminal, async () => {
    for (const args of commands) {
      const text = await printOnTerminal(args);
      assert.ok(text.includes(escape), text);
      assert.doesNotMatch(text, /\\u001b/);
    }
  });

  test('are omitted with NO_COLOR, on a terminal without colors, and in a pipe', onTerminal, async () => {
    for (const args of commands) {
      assert.ok(!(await printOnTerminal(args, { NO_COLOR: '1' })).includes(escape));
      assert.ok(!(await printOnTerminal(args, { TERM: 'dumb' })).includes(escape));
      assert.ok(!(await project.run(args)).stdout.includes(escape));
    }
  });
});
