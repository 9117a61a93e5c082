import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../support/within.ts';

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/**
 * Starts a program and waits for its end. With `killAfterMs` it is killed so long after it first printed something
 * that fits (anything).
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { killAfterMs, at = /[^]/ }: { readonly killAfterMs?: number | undefined; readonly at?: RegExp } = {},
): Promise<Ended> {
  // Who is killed keeps nothing of what it has compiled; we load the same modules, and many are started.
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

/** Starts a program, kills it some time after the first line it wrote, and gives back the complete lines. */
export async function runAndKill(program: string, args: readonly string[], afterMs: number): Promise<string[]> {
  const { code, signal, output } = await runProgram(program, args, { killAfterMs: afterMs });
  assert.equal(signal, 'SIGKILL', `the program ended by itself with ${code}`);
  return output.split('\n').slice(0, -1);
}
