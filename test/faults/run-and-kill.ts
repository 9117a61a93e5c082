import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a program, kills it some time after the first line it wrote, and gives back the complete lines. */
export async function runAndKill(program: string, args: readonly string[], afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL', `the program ended by itself with ${code}`);
  return output.split('\n').slice(0, -1);
}
