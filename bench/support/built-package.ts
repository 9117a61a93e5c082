import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** What would be published, without declarations and console, in a directory of its own. */
export interface BuiltPackage {
  /** The command, as users run it. */
  readonly launcher: string;
  remove(): void;
}

/** Builds the package: a checkout runs from source, which takes longer to start. */
export function builtPackage(): BuiltPackage {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-built-'));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  execFileSync(process.execPath, [join(root, 'build.ts'), '--out', join(directory, 'dist')]);
  return {
    launcher: join(directory, 'bin', 'signalbox'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
