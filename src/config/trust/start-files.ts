import { type Stats, statSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import type { ExternalEntry } from '../configuration.ts';
import { installedCopy, packageName, readManifest } from './installed-package.ts';

const codeFile = /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|php|lua|sh|bash|zsh|fish|ps1|bat|cmd|exe|jar|wasm|go|rs)$/i;
const executable = 0o111;
/** Programs that execute the file or directory in their first operand. */
const interpreter =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy\d*|ruby|perl|php|lua|(?:ba|da|z|k|fi)?sh|pwsh|java|electron)(?:\.exe)?$/i;
/** Options and variables of interpreters that load a file. */
const preloadOption = /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|-m|--init-file|--rcfile)$/;
const fileVariables =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHONSTARTUP|LD_PRELOAD|DYLD_INSERT_LIBRARIES|RUBYOPT|PERL5OPT|BUN_OPTIONS)$/;
const directoryVariables =
  /^(?:PATH|NODE_PATH|PYTHONPATH|RUBYLIB|PERL5LIB|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|CLASSPATH)$/;
/** The files from which package runners read commands and registries. */
const runnerFiles: Readonly<Record<string, readonly string[]>> = {
  npx: ['.npmrc'],
  npm: ['.npmrc', 'package.json'],
  pnpm: ['.npmrc', 'package.json'],
  yarn: ['.yarnrc.yml', '.npmrc', 'package.json'],
  bun: ['bunfig.toml', 'package.json'],
  uv: ['pyproject.toml', 'uv.toml'],
  deno: ['deno.json', 'deno.jsonc'],
  make: ['Makefile'],
};
const suffixes = ['.js', '.cjs', '.mjs', '.ts', '.json', '.node', '.py'];
const directoryFiles = [
  'package.json',
  'index.js',
  'index.cjs',
  'index.mjs',
  'index.ts',
  'index.json',
  '__main__.py',
  '__init__.py',
];
const variableReference = '${';

/** Returns the files and directories from which the program of a server is loaded, whether or not they exist. */
export function startFiles({ settings }: ExternalEntry, directory: string): string[] {
  const { command, npm, args = [], env = {} } = settings;
  const cwd = resolve(directory, settings.cwd ?? '.');
  const found = new Set<string>();
  const add = (word: string, isEntry = false): void => {
    if (word === '' || word.includes(variableReference)) return;
    const path = resolve(cwd, word);
    if (isEntry) for (const each of entryFiles(path, directory)) found.add(each);
    else if (isCode(path)) found.add(path);
  };
  const addPackage = (spec: string): void => {
    // Included even if it does not exist, because a copy that is created later runs instead of the published package.
    for (const place of new Set([directory, cwd])) {
      found.add(join(place, 'node_modules', packageName(spec)));
      const copy = installedCopy(spec, place);
      if (copy !== undefined) found.add(copy);
    }
  };
  if (npm !== undefined) {
    found.add(join(cwd, '.npmrc'));
    addPackage(npm);
  }
  if (command !== undefined) {
    if (/[/\\]/.test(command)) found.add(resolve(cwd, command));
    const runner = basename(command).replace(/\.(?:cmd|exe)$/i, '');
    for (const name of runnerFiles[runner] ?? []) found.add(join(cwd, name));
    const spec = runner === 'npx' || runner === 'bunx' ? args.find((each) => !each.startsWith('-')) : undefined;
    if (spec !== undefined) addPackage(spec);
    addArguments(args, interpreter.test(runner), add);
  }
  for (const [name, value] of Object.entries(env)) {
    const words = value.split(/\s+/).flatMap((word) => [word, ...word.split('=').slice(1)]);
    for (const word of words) add(word, fileVariables.test(name) && !word.startsWith('-'));
    if (!directoryVariables.test(name)) continue;
    for (const each of value.split(delimiter)) {
      const path = resolve(cwd, each);
      if (each !== '' && !each.includes(variableReference) && isBelow(path, directory)) found.add(path);
    }
  }
  return [...found];
}

function addArguments(
  args: readonly string[],
  isInterpreted: boolean,
  add: (word: string, isEntry?: boolean) => void,
): void {
  let isEntryKnown = !isInterpreted;
  for (const [index, word] of args.entries()) {
    const previous = args[index - 1] ?? '';
    if (preloadOption.test(previous)) {
      add(word, true);
      // `python -m package`: a module is a path with dots.
      if (previous === '-m') add(word.replaceAll('.', sep), true);
      if (previous === '-m') isEntryKnown = true;
    } else if (word.startsWith('-')) {
      // An option may contain a path: --import=./hook.mjs.
      for (const value of word.split('=').slice(1)) add(value, preloadOption.test(word.split('=', 1)[0] ?? ''));
    } else if (!isEntryKnown && word !== 'run') {
      add(word, true);
      isEntryKnown = true;
    } else add(word);
  }
}

/** Returns the files that an interpreter may load for a path: with a suffix, or inside a directory. */
function entryFiles(path: string, directory: string): string[] {
  const files = codeFile.test(path) ? [path] : [path, ...suffixes.map((suffix) => path + suffix)];
  if (statOf(path)?.isDirectory() !== true) return files;
  const main = readManifest(path)?.['main'];
  const entry = typeof main === 'string' ? resolve(path, main) : undefined;
  return [
    // A directory in the project counts as code as a whole. The project itself does not, because agents work in it.
    ...(isBelow(path, directory) ? [path] : []),
    ...suffixes.map((suffix) => path + suffix),
    ...directoryFiles.map((name) => join(path, name)),
    ...(entry === undefined
      ? []
      : [entry, ...suffixes.map((suffix) => entry + suffix), ...directoryFiles.map((name) => join(entry, name))]),
  ];
}

/** Returns the directory of the package that a file in `node_modules` belongs to; of another file, its own directory. */
export function packageDirectory(file: string): string {
  const start = file.lastIndexOf(`${sep}node_modules${sep}`);
  if (start === -1) return dirname(file);
  const [scope = '', name = ''] = file.slice(start + `${sep}node_modules${sep}`.length).split(sep);
  return join(file.slice(0, start), 'node_modules', scope, ...(scope.startsWith('@') ? [name] : []));
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory + sep);
}

/** Returns whether a path is code, by its name or executable bit. A missing file is recognized by its name only. */
function isCode(path: string): boolean {
  const stats = statOf(path);
  if (stats?.isDirectory() === true) return false;
  return codeFile.test(path) || (stats !== undefined && (stats.mode & executable) !== 0);
}

/** Returns the stat of a path; `undefined` when it does not exist or is not accessible. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
