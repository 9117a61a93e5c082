import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { messageOf } from '../../core/errors.ts';
import type { HostLog } from '../host-log.ts';

const ownRoot = join(import.meta.dirname, '..', '..', '..');

/** The console, which may still be building. */
export interface ConsoleBuild {
  /** Resolves with the directory; rejects with the problem and the next step. */
  readonly directory: Promise<string>;
  /** Present while the console is building. Resolves with the duration in milliseconds. */
  readonly building?: Promise<number>;
}

/** Finds the console. In a clone, starts a build in another process when it is missing or older than its sources. */
export function findConsole(signal?: AbortSignal, root = ownRoot): ConsoleBuild {
  const program = join(root, 'console', 'build.ts');
  // In the package, the console is next to this program.
  if (!existsSync(program)) return { directory: Promise.resolve(join(import.meta.dirname, '..', '..', 'console')) };
  const built = join(root, 'dist', 'console');
  if (isFresh(root, built)) return { directory: Promise.resolve(built) };
  const started = performance.now();
  const building = build(program, built, signal).then(() => performance.now() - started);
  const directory = building.then(() => built);
  // A failure is reported to requests for the console, and must not be an unhandled rejection before.
  directory.catch(() => undefined);
  building.catch(() => undefined);
  return { directory, building };
}

/** Logs the duration of the build, or its failure. */
export async function logConsoleBuild({ building }: ConsoleBuild, log: HostLog): Promise<void> {
  if (building === undefined) return;
  try {
    const took = await building;
    log.info(`built the console in ${(took / 1000).toFixed(1)} s`);
  } catch (error) {
    // The server is stopping.
    if ((error as Error).name === 'AbortError') return;
    log.warn(messageOf(error));
  }
}

/** Returns whether the build is newer than all sources. Directories are compared too, because they change when a file is removed. */
function isFresh(root: string, built: string): boolean {
  const sources = join(root, 'console');
  const at = timeOf(join(built, 'index.html'));
  if (at === undefined) return false;
  // Builds write caches to node_modules.
  const entries = readdirSync(sources).filter((name) => name !== 'node_modules');
  const nested = readdirSync(join(sources, 'src'), { recursive: true, encoding: 'utf8' });
  const files = [...entries, ...nested.map((name) => join('src', name))].map((name) => join(sources, name));
  return [...files, join(root, 'package-lock.json')].every((file) => (timeOf(file) ?? 0) <= at);
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function build(program: string, built: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, '--out', built], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(new Error(`The console could not be built:\n\n${output.trim()}\n\nRun npm install, then start again.`));
    });
  });
}
