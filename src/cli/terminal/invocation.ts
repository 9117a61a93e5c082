import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { shortPath } from '../../host/data-directory.ts';

/** The properties of this process that decide how users can start Signalbox. */
export interface ProcessInfo {
  /** The launcher: `process.argv[1]`. */
  readonly launcher: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current directory. */
  readonly directory: string;
}

/** Replaces `signalbox` in a hint by a command that works here. In a clone or with `npx`, `signalbox` is not in PATH. */
export function runnable(hint: string): string {
  const command = ownCommand();
  return command === 'signalbox' ? hint : hint.replaceAll(/(?<![\w/.-])signalbox (?=[a-z-])/g, `${command} `);
}

/** Returns the command that starts Signalbox as this process was started. */
export function invocation({ launcher, environment, directory }: ProcessInfo): string {
  if (environment['npm_command'] === 'exec') return 'npx signalbox';
  const file = realPath(launcher);
  const isClone = existsSync(join(dirname(file), '..', 'src', 'cli', 'main.ts'));
  if (!isClone || isOnPath(file, environment['PATH'])) return 'signalbox';
  const near = relative(directory, file);
  return shellWord(near.startsWith('..') ? shortPath(file) : near);
}

let cachedCommand: string | undefined;

function ownCommand(): string {
  const { argv, env } = process;
  return (cachedCommand ??= invocation({ launcher: argv[1] ?? '', environment: env, directory: process.cwd() }));
}

/** Returns whether the launcher is in PATH, as after `npm link`. Ignores the directories that npm adds for its scripts. */
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

/** Quotes a path for a shell if necessary. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
