import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a directory, which is removed after the test or test file `t`. */
export function temporaryDirectory(t: { after(remove: () => void): void }): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-')));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Creates a directory, in memory if the system supports it: for tests with races and killed processes, which lose no written
 * data. Tests of power losses need a disk.
 */
export function createMemoryDirectory(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `signalbox-${name}-`));
}
