import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../support/command.ts';

const run = promisify(execFile);
const maxInstallMs = 300_000;

/** The default directory of installed packages; `--cache` names another. */
export const defaultCache = join(root, 'node_modules', '.cache', 'field');

/** A cache of installed packages, with one directory for each package. An interrupted installation is repeated. */
export class PackageCache {
  readonly #directory: string;

  constructor(directory = defaultCache) {
    this.#directory = directory;
  }

  /** Returns the directory in which `name@version` is, or would be, installed. */
  directoryOf(spec: string): string {
    return join(this.#directory, spec.replace(/^@/, '').replace('/', '+'));
  }

  isInstalled(spec: string): boolean {
    return isOwnDependency(spec) || existsSync(join(this.directoryOf(spec), '.installed'));
  }

  /** Installs a package without running its scripts, if it is not installed. Rejects with the first lines of npm's errors. */
  async install(spec: string): Promise<void> {
    if (this.isInstalled(spec)) return;
    const directory = this.directoryOf(spec);
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
    const options = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    try {
      await run('nice', ['npm', 'install', spec, ...options], { cwd: directory, timeout: maxInstallMs });
    } catch (error) {
      const output = (error as { stderr?: string }).stderr || String(error);
      throw new Error(`cannot install ${spec}: ${output.trim().split('\n').slice(0, 3).join(' ')}`, { cause: error });
    }
    writeFileSync(join(directory, '.installed'), '');
  }

  /** Returns the file that the command of a package runs. */
  programOf(spec: string, bin?: string): string {
    const name = spec.slice(0, spec.lastIndexOf('@'));
    return programIn(join(isOwnDependency(spec) ? root : this.directoryOf(spec), 'node_modules', name), bin);
  }
}

/** Returns whether this repository depends on exactly this version of the package. */
export function isOwnDependency(spec: string): boolean {
  const at = spec.lastIndexOf('@');
  const file = join(root, 'node_modules', spec.slice(0, at), 'package.json');
  return (
    existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === spec.slice(at + 1)
  );
}

/** Returns the file of the named command of an unpacked package, or of its first command. */
function programIn(directory: string, bin?: string): string {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const commands = typeof manifest.bin === 'string' ? { [bin ?? 'bin']: manifest.bin } : (manifest.bin ?? {});
  const file = bin === undefined ? Object.values(commands)[0] : commands[bin];
  if (file === undefined)
    throw new Error(`${directory} has no command ${bin ?? ''}. It has: ${Object.keys(commands).join(', ') || 'none'}.`);
  return join(directory, file);
}
