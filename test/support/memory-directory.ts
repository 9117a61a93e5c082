import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new directory, in memory where the system offers that: for tests of processes that race or are killed, which lose
 * nothing that was written. What must outlive the machine belongs on a disk.
 */
export function memoryDirectory(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `signalbox-${name}-`));
}
