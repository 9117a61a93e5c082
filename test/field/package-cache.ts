import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../support/command.ts';

const run = promisify(execFile);
const maxInstallMs = 300_000;

/** The default directory of installed packages; `--cache` names another. */
export const defaultCache = join(root, 'node_modules', '.cache', 'field');

/** A directory of its own for each package, outside git. An interrupted installation is made again. */
export class PackageCache {
  readonly #directory: string;

  constructor(directory = defaultCache) {
    this.#directory = directory;
  }

  /** Returns where `name@version` is, or would be, installed. */
  directoryOf(spec: string): string {
    return join(this.#directory, spec.replace(/^@/, '').replace('/', '+'));
  }

  isInstalled(spec: string): boolean {
    return isOwnDependency(spec) || existsSync(join(this.directoryOf(spec), '.installed'));
  }

  /** Installs a package without running its scripts; does nothing when it is there. Rejects with the last line of npm. */
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
      const said = (error as { stderr?: string }).stderr || String(error);
      throw new Error(`cannot install ${spec}: ${said.trim().split('\n').slice(0, 3).join(' ')}`, { cause: error });
    }
    writeFileSync(join(directory, '.installed'), '');
  }

  /** Returns the file that a package's command runs. */
  programOf(spec: string, bin?: string): string {
    const name = spec.slice(0, spec.lastIndexOf('@'));
    return programIn(join(isOwnDependency(spec) ? root : this.directoryOf(spec), 'node_modules', name), bin);
  }
}

/** Whether the repository itself has the package in exactly this version. */
export function isOwnDependency(spec: string): boolean {
  const at = spec.lastIndexOf('@');
  const file = join(root, 'node_modules', spec.slice(0, at), 'package.json');
  return (
    existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === spec.slice(at + 1)
  );
}

/** Returns the file that a command of an unpacked package runs: the one named, or the first. */
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
