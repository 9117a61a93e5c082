import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { command, root, type CommandResult } from './command.ts';

/**
 * Builds and packs what would be published, then looks at it as a user's tools would: publint and attw on the tarball,
 * the entry imported, the command started. All in a temporary directory, so that runs do not meet each other in dist/.
 */
export async function checkPackage(): Promise<CommandResult> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-package-'));
  try {
    for (const entry of ['package.json', 'LICENSE', ...manifest.files.filter((name) => name !== 'dist')]) {
      await cp(join(root, entry), join(directory, entry), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    return await allOf([
      () => command('tsc', ['--project', 'tsconfig.build.json', '--outDir', join(directory, 'dist')]),
      () => command('node', ['console/build.ts', '--out', join(directory, 'dist', 'console')]),
      () => command('npm', ['pack', '--ignore-scripts', '--silent'], directory),
      () => command('publint', ['run', '--strict', tarball], directory),
      () => command('attw', ['--profile', 'esm-only', tarball], directory),
      () =>
        command(
          'node',
          ['--input-type=module', '--eval', entries.map((entry) => `await import('${entry}');`).join(' ')],
          directory,
        ),
      () => command('node', ['bin/signalbox', '--version'], directory),
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Every way in that the package offers. */
const entries = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.replace('.', manifest.name));

const tarball = `${manifest.name}-${manifest.version}.tgz`;

async function allOf(steps: readonly (() => Promise<CommandResult>)[]): Promise<CommandResult> {
  for (const step of steps) {
    const result = await step();
    if (!result.ok) return result;
  }
  return { ok: true, output: '' };
}
