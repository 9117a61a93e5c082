import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('./failing-writes.c', import.meta.url));

/** Compiles the library that makes writes fail, into a directory; returns `undefined` without a C compiler. */
export function failingWritesLibrary(directory: string): string | undefined {
  const library = join(directory, 'failing-writes.so');
  return spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source]).status === 0 ? library : undefined;
}

/** Returns the environment of a program whose writes to this file, or below this directory, can be made to fail. */
export function failingIn(path: string, library: string): Readonly<Record<string, string>> {
  const control = `${path}.control`;
  writeFileSync(control, '');
  return { LD_PRELOAD: library, FAILING_WRITES: control, FAILING_PATH: path };
}
