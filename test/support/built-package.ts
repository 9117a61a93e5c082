import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.ts';

const cache = join(root, 'node_modules', '.cache');
const place = join(cache, 'package');
const launcher = join(place, 'bin', 'signalbox');
let known = false;

/**
 * The command as users run it: of the package that would be published, without declarations. A checkout runs from source, which
 * takes longer to start. Built anew when it is older than its sources, so that a run of all tests builds it once.
 */
export function builtLauncher(): string {
  if (!known && !isFresh()) build();
  known = true;
  return launcher;
}

/** A removed file shows in the time of its directory. */
function isFresh(): boolean {
  const at = timeOf(join(place, 'package.json'));
  const sources = globSync(['src/**', 'bin/**', 'package*.json', 'build.ts', 'dist/console/index.html'], { cwd: root });
  return at > 0 && sources.every((path) => path.endsWith('.test.ts') || timeOf(join(root, path)) <= at);
}

function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Aside first: whoever runs it meanwhile has the old one or the new one. */
function build(): void {
  mkdirSync(cache, { recursive: true });
  const aside = mkdtempSync(join(cache, 'package-'));
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(aside, name), { recursive: true });
  execFileSync(process.execPath, [join(root, 'build.ts'), '--out', join(aside, 'dist')]);
  const console = join(root, 'dist', 'console');
  if (existsSync(console)) cpSync(console, join(aside, 'dist', 'console'), { recursive: true });
  try {
    rmSync(place, { recursive: true, force: true });
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another run was as far at the same time.
    if (!isFresh()) throw error;
  }
}
