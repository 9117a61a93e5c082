import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
let built: string | undefined;

/**
 * The command as users run it: of the package that would be published, without declarations and console, built once. A checkout
 * runs from source, which takes longer to start. Gone when this process is.
 */
export function builtLauncher(): string {
  if (built !== undefined) return built;
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-built-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  execFileSync(process.execPath, [join(root, 'build.ts'), '--out', join(directory, 'dist')]);
  return (built = join(directory, 'bin', 'signalbox'));
}
