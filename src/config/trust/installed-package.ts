import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject } from '../../core/json/json.ts';

const exactVersion = /^(?<name>(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)@(?<version>\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/i;
const packageNameForm = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i;

/** A copy of an npm package in `node_modules`. */
interface InstalledPackage {
  readonly home: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Returns the program of an npm package that is installed in exactly the version of `spec`. Only the nearest copy in the directory or
 * its parents counts, as in Node's resolution.
 */
export function installedProgram(spec: string, directory: string): string | undefined {
  const { name, version } = exactVersion.exec(spec)?.groups ?? {};
  const found = name === undefined ? undefined : nearestCopy(name, directory);
  if (name === undefined || found === undefined || found.manifest['version'] !== version) return undefined;
  const program = binOf(name, found.manifest['bin']);
  const file = program === undefined ? undefined : join(found.home, program);
  return file !== undefined && isForNode(file) ? file : undefined;
}

/**
 * Returns the directory of a copy that may run instead of the published package: Signalbox and npx prefer it when its version matches.
 * The version comes from its manifest, so a copy in a cloned repository can claim any version.
 */
export function installedCopy(spec: string, directory: string): string | undefined {
  const found = nearestCopy(packageName(spec), directory);
  const { version } = exactVersion.exec(spec)?.groups ?? {};
  return version === undefined || found?.manifest['version'] === version ? found?.home : undefined;
}

/** Returns the name in a specification such as `@scope/name@1.2.3`. */
export function packageName(spec: string): string {
  const at = spec.indexOf('@', 1);
  return at === -1 ? spec : spec.slice(0, at);
}

function nearestCopy(name: string, directory: string): InstalledPackage | undefined {
  if (!packageNameForm.test(name)) return undefined;
  for (let place = resolve(directory); ; place = dirname(place)) {
    const home = join(place, 'node_modules', name);
    const manifest = readManifest(home);
    if (manifest !== undefined) return { home, manifest };
    if (dirname(place) === place) return undefined;
  }
}

/** Returns the `package.json` in a directory; `undefined` when there is no valid one. */
export function readManifest(home: string): Readonly<Record<string, unknown>> | undefined {
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
