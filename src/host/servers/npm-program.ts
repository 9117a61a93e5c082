import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject } from '../../core/json/json.ts';

/** A command and its arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

const exactVersion = /^(?<name>(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)@(?<version>\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/i;

/**
 * Returns the command that runs an npm package. If the project has exactly this version installed, Node runs it directly, which is
 * faster and needs no network; otherwise npx downloads it.
 */
export function npmProgram(spec: string, args: readonly string[], directory: string): Program {
  const { name, version } = exactVersion.exec(spec)?.groups ?? {};
  const file = name === undefined || version === undefined ? undefined : installedProgram(name, version, directory);
  if (file !== undefined) return { command: process.execPath, args: [file, ...args] };
  return { command: 'npx', args: ['-y', spec, ...args] };
}

/** Returns the program of the nearest installed package, from the directory upwards, as Node resolves it. */
function installedProgram(name: string, version: string, directory: string): string | undefined {
  for (let place = resolve(directory); ; place = dirname(place)) {
    const home = join(place, 'node_modules', name);
    const manifest = manifestOf(home);
    if (manifest !== undefined) {
      const program = manifest['version'] === version ? binOf(name, manifest['bin']) : undefined;
      const file = program === undefined ? undefined : join(home, program);
      return file !== undefined && isForNode(file) ? file : undefined;
    }
    if (dirname(place) === place) return undefined;
  }
}

function manifestOf(home: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    return isJsonObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the program that npx would choose: the only one, or the one with the name of the package. */
function binOf(name: string, bin: unknown): string | undefined {
  if (typeof bin === 'string') return bin;
  if (!isJsonObject(bin)) return undefined;
  const [only, ...others] = Object.values(bin);
  const chosen = others.length === 0 ? only : bin[name.split('/').at(-1) ?? name];
  return typeof chosen === 'string' ? chosen : undefined;
}

/** Returns whether the first line of a file names Node as its interpreter. A package may also contain shell scripts. */
function isForNode(file: string): boolean {
  const start = Buffer.alloc(80);
  try {
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, start, 0, start.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
  return /^#!\S*(?:\/env )?(?:\S*\/)?node\s*$/m.test(start.toString('utf8').split('\n')[0] ?? '');
}
