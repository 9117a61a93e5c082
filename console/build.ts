/**
 * Builds the console: `node console/build.ts [--out DIR]`. It is put together beside its place and then moved there, so that a
 * server that reads it at the same time sees all of it or the one before.
 */
import { chmod, mkdtemp, mkdir, readFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const place = resolve(values.out ?? join(import.meta.dirname, '..', 'dist', 'console'));
const startedAt = new Date();
await mkdir(dirname(place), { recursive: true });
const made = await mkdtemp(`${place}-`);
await chmod(made, 0o755);
try {
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: made, emptyOutDir: true },
  });
  await pack(made);
  // What is changed while the build runs is newer than it.
  await utimes(join(made, 'index.html'), startedAt, startedAt);
  await moveToPlace();
} finally {
  await rm(made, { recursive: true, force: true });
}

/** Another build may have come between: the last one stays. */
async function moveToPlace(attempts = 5): Promise<void> {
  await rm(place, { recursive: true, force: true });
  try {
    await rename(made, place);
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!isTaken || attempts === 1) throw error;
    await moveToPlace(attempts - 1);
  }
}

/** Once, here, and never while serving. */
async function pack(directory: string): Promise<void> {
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
