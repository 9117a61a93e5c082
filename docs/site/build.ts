/** `npm run docs` builds the site of docs/ into docs/site/dist. Installs VitePress in docs/site if needed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const program = join(here, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

if (installedVersion() !== requiredVersion()) {
  console.log('installing VitePress into docs/site …');
  // Only esbuild has an install script, and it works without it.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options], { cwd: here, stdio: 'inherit', timeout: 300_000 });
}
execFileSync(process.execPath, [program, process.argv[2] ?? 'build', here], { stdio: 'inherit' });

function requiredVersion(): string | undefined {
  return manifestIn(here).dependencies?.['vitepress'];
}

function installedVersion(): string | undefined {
  const directory = join(here, 'node_modules', 'vitepress');
  return existsSync(directory) ? manifestIn(directory).version : undefined;
}

function manifestIn(directory: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as ReturnType<typeof manifestIn>;
}
