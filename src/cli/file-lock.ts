import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const retryMs = 50;

/**
 * Does something while no other process does it that asks for the same file. A lock that is older than `staleMs` was
 * left by a process that died; who waited as long goes on without.
 */
export async function whileLocked<Result>(file: string, staleMs: number, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const giveUpAt = Date.now() + staleMs;
  let isTaken = take(file);
  while (!isTaken && Date.now() < giveUpAt) {
    await wait(retryMs);
    if (ageMs(file) > staleMs) rmSync(file, { force: true });
    isTaken = take(file);
  }
  try {
    return await work();
  } finally {
    if (isTaken) rmSync(file, { force: true });
  }
}

function take(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ageMs(file: string): number {
  return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
