import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a directory, in memory if the system supports it: for tests with races and killed processes, which lose no written
 * data. Tests of power losses need a disk.
 */
export function createMemoryDirectory(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `signalbox-${name}-`));
}
