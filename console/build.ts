/**
 * Builds the console: `node console/build.ts [--out DIR]`. Builds into a temporary directory beside the target and renames it, so that
 * a server that reads at the same time sees either the old build or the new one.
 */
import { chmod, mkdtemp, mkdir, readFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const target = resolve(values.out ?? join(import.meta.dirname, '..', 'dist', 'console'));
const startedAt = new Date();
await mkdir(dirname(target), { recursive: true });
const buildDirectory = await mkdtemp(`${target}-`);
await chmod(buildDirectory, 0o755);
try {
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: buildDirectory, emptyOutDir: true },
  });
  await compressFiles(buildDirectory);
  // Date the build to its start, so that files changed meanwhile count as newer.
  await utimes(join(buildDirectory, 'index.html'), startedAt, startedAt);
  await moveToTarget();
} finally {
  await rm(buildDirectory, { recursive: true, force: true });
}

/** Replaces the target directory. Retries if a concurrent build created it in between; the last build wins. */
async function moveToTarget(attempts = 5): Promise<void> {
  await rm(target, { recursive: true, force: true });
  try {
    await rename(buildDirectory, target);
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!isTaken || attempts === 1) throw error;
    await moveToTarget(attempts - 1);
  }
}

/** Compresses every file at build time, so that the server never has to. */
async function compressFiles(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const bytes = await readFile(path);
        const brotli = {
          params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
        };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, brotli));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes));
      }),
  );
}
