/** `npm run docs`: builds the site of docs/ into docs/site/dist. What it is built with is installed here when it is not there yet. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const program = join(here, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

if (installed() !== wanted()) {
  console.log('installing VitePress into docs/site …');
  // esbuild works without the script it would run; nothing else has one.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options], { cwd: here, stdio: 'inherit', timeout: 300_000 });
}
execFileSync(process.execPath, [program, process.argv[2] ?? 'build', here], { stdio: 'inherit' });

function wanted(): string | undefined {
  return manifestIn(here).dependencies?.['vitepress'];
}

function installed(): string | undefined {
  const place = join(here, 'node_modules', 'vitepress');
  return existsSync(place) ? manifestIn(place).version : undefined;
}

function manifestIn(directory: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as ReturnType<typeof manifestIn>;
}
