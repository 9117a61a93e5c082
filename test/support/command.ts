import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The root directory of the repository. */
export const root = join(import.meta.dirname, '..', '..');

/** The result of a command. */
export interface CommandResult {
  readonly ok: boolean;
  /** Standard output and standard error, interleaved, without colors. */
  readonly output: string;
}

/** Runs a command at the root of the repository. The tools in `node_modules` come first in the PATH. */
export function command(name: string, args: readonly string[], directory = root): Promise<CommandResult> {
  const PATH = join(root, 'node_modules', '.bin') + delimiter + (process.env['PATH'] ?? '');
  return new Promise((resolve) => {
    const child = spawn(name, args, {
      cwd: directory,
      env: { ...process.env, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.on('error', (error) => resolve({ ok: false, output: `${name} cannot be started: ${error.message}` }));
    child.on('close', (code) => resolve({ ok: code === 0, output: stripVTControlCharacters(output) }));
  });
}

/** Runs commands one after another until one fails. */
export async function commands(...list: readonly (readonly [string, ...string[]])[]): Promise<CommandResult> {
  let output = '';
  for (const [name, ...args] of list) {
    const result = await command(name, args);
    output += result.output;
    if (!result.ok) return { ok: false, output };
  }
  return { ok: true, output };
}
