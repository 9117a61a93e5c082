import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const children: ChildProcess[] = [];

/** Starts a program that serves HTTP, and returns the URL that it prints. */
export async function startProgram(file: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return url.toString().trim();
}

/** Ends all programs that were started. */
export function stopPrograms(): void {
  for (const child of children) child.kill();
}
