import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { shortPath } from '../../host/data-directory.ts';

/** How this process was started, as far as it decides which command people can run. */
export interface ProcessInfo {
  /** The launcher: `process.argv[1]`. */
  readonly launcher: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory that people run commands in. */
  readonly directory: string;
}

/** Returns a hint with the commands that work here: `signalbox` is not on the PATH in a clone, nor for `npx`. */
export function runnable(hint: string): string {
  const command = own();
  return command === 'signalbox' ? hint : hint.replaceAll(/(?<![\w/.-])signalbox (?=[a-z-])/g, `${command} `);
}

/** Returns the command that starts Signalbox in the way that it was started. */
export function invocation({ launcher, environment, directory }: ProcessInfo): string {
  if (environment['npm_command'] === 'exec') return 'npx signalbox';
  const file = realPath(launcher);
  const isClone = existsSync(join(dirname(file), '..', 'src', 'cli', 'main.ts'));
  if (!isClone || isOnPath(file, environment['PATH'])) return 'signalbox';
  const near = relative(directory, file);
  return shellWord(near.startsWith('..') ? shortPath(file) : near);
}

let found: string | undefined;

function own(): string {
  const { argv, env } = process;
  return (found ??= invocation({ launcher: argv[1] ?? '', environment: env, directory: process.cwd() }));
}

/** Whether a shell finds the launcher, as after `npm link`. The directories that npm adds for its scripts do not count. */
function isOnPath(file: string, path = ''): boolean {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '' && !directory.endsWith(join('node_modules', '.bin')))
    .some((directory) => realPath(directory + sep + 'signalbox') === file);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function shellWord(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
