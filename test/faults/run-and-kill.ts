import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../support/within.ts';

/** The exit of a program, and its output. */
export interface ProgramResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** Starts a program and waits for its exit. With `killAfterMs`, kills it this long after its output first matches `at` (any output). */
export async function runProgram(
  program: string,
  args: readonly string[],
  { killAfterMs, at = /[^]/ }: { readonly killAfterMs?: number | undefined; readonly at?: RegExp } = {},
): Promise<ProgramResult> {
  // A killed process stores nothing of what it has compiled. This process loads the same modules, so its cache speeds up the many starts.
  flushCompileCache();
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const reached = Promise.withResolvers<void>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (at.test(output)) reached.resolve();
  });
  try {
    if (killAfterMs !== undefined) {
      await within(Promise.race([reached.promise, closed]), `${at} of ${program}`, () => output);
      await wait(killAfterMs);
      child.kill('SIGKILL');
    }
    const [code, signal] = await within(closed, `the end of ${program}`, () => output);
    return { code, signal, output };
  } finally {
    child.kill('SIGKILL');
  }
}

/** Starts a program, kills it this long after its first output, and returns its complete lines. */
export async function runAndKill(program: string, args: readonly string[], afterMs: number): Promise<string[]> {
  const { code, signal, output } = await runProgram(program, args, { killAfterMs: afterMs });
  assert.equal(signal, 'SIGKILL', `the program exited with ${code}`);
  return output.split('\n').slice(0, -1);
}
