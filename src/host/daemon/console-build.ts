import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '../../cli/printable.ts';
import type { Printer } from '../../cli/terminal.ts';
import { messageOf } from '../../core/errors.ts';

const ownRoot = join(import.meta.dirname, '..', '..', '..');

/** The built console, or the building of it. */
export interface ConsoleBuild {
  /** Resolves with the directory; rejects with what is wrong and what to do. */
  readonly directory: Promise<string>;
  /** Present while it is being built: resolves with how long that took. */
  readonly building?: Promise<number>;
}

/** Finds the console. In a checkout it is built when it is missing or older than its sources, in a process of its own, so that nothing waits for it. */
export function findConsole(signal?: AbortSignal, root = ownRoot): ConsoleBuild {
  const program = join(root, 'console', 'build.ts');
  // Where this program itself is built, the console is built beside it.
  if (!existsSync(program)) return { directory: Promise.resolve(join(import.meta.dirname, '..', '..', 'console')) };
  const built = join(root, 'dist', 'console');
  if (isFresh(root, built)) return { directory: Promise.resolve(built) };
  const started = performance.now();
  const building = build(program, built, signal).then(() => performance.now() - started);
  const directory = building.then(() => built);
  // Whoever asks for it is told; until then nobody has to.
  directory.catch(() => undefined);
  building.catch(() => undefined);
  return { directory, building };
}

/** Says on one line how long the building took, or what went wrong. */
export async function reportConsoleBuild({ building }: ConsoleBuild, errors: Printer): Promise<void> {
  if (building === undefined) return;
  try {
    const took = await building;
    await errors.print(`built the console in ${(took / 1000).toFixed(1)} s\n`);
  } catch (error) {
    // The server is stopping.
    if ((error as Error).name === 'AbortError') return;
    const lines = messageOf(error).split('\n').map(printable);
    await errors.print(`${errors.colors.yellow('warning')}: ${lines.join('\n')}\n`);
  }
}

/** A removed file shows in the time of its directory. */
function isFresh(root: string, built: string): boolean {
  const sources = join(root, 'console');
  const at = timeOf(join(built, 'index.html'));
  if (at === undefined) return false;
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).map((name) => join(sources, name));
  return [sources, ...files, join(root, 'package-lock.json')].every((file) => (timeOf(file) ?? 0) <= at);
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
