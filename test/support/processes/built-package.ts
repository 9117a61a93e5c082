import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../command.ts';

const packages = join(root, 'node_modules', '.cache', 'package');
/** Longer than any process of a test or benchmark runs. */
const maxBuildAgeMs = 12 * 60 * 60 * 1000;
let launcher: string | undefined;

/**
 * Returns the path of the command as users run it: of the package that would be published, without declarations. A checkout runs from
 * source, which takes longer to start. Every state of the sources has its own build, so that a process can load its modules while
 * another run builds a later state.
 */
export function builtLauncher(): string {
  return (launcher ??= join(builtPackage(), 'bin', 'signalbox'));
}

function builtPackage(): string {
  const directory = join(packages, `at-${newestSourceMs().toString(36)}`);
  if (existsSync(directory)) return directory;
  removeOldBuilds();
  build(directory);
  return directory;
}

/** Returns the latest modification time of the sources. A removed file changes the time of its directory. */
function newestSourceMs(): number {
  const sources = globSync(['src/**', 'bin/**', 'package*.json', 'build.ts', 'dist/console/index.html'], { cwd: root });
  const times = sources.filter((path) => !path.endsWith('.test.ts')).map((path) => changedMs(join(root, path)));
  return Math.max(...times);
}

function changedMs(path: string): number {
  return Math.round(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

function removeOldBuilds(): void {
  mkdirSync(packages, { recursive: true });
  for (const name of readdirSync(packages))
    if (changedMs(join(packages, name)) < Date.now() - maxBuildAgeMs)
      rmSync(join(packages, name), { recursive: true, force: true });
}

/** Builds in a temporary directory and renames it, so that no process sees an incomplete build. */
function build(directory: string): void {
  const temporary = mkdtempSync(join(packages, 'building-'));
  try {
    for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(temporary, name), { recursive: true });
    execFileSync(process.execPath, [join(root, 'build.ts'), '--out', join(temporary, 'dist')]);
    const console = join(root, 'dist', 'console');
    if (existsSync(console)) cpSync(console, join(temporary, 'dist', 'console'), { recursive: true });
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another run may have finished the same build first.
    if (!existsSync(directory)) throw error;
  }
}
