import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { minimalEnvironment } from './minimal-environment.ts';
import type { ProgramOptions } from './process-group.ts';

/** Describes how a process ended. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `its process ended with exit code ${code ?? 'unknown'}`
    : `its process was ended by ${signal}`;
}

/** Returns why a program could not be started, and which part of its options to change. */
export function explainStart(options: ProgramOptions, error: NodeJS.ErrnoException): string {
  const program = `the program ${JSON.stringify(options.command)}`;
  if (error.code !== 'ENOENT' && error.code !== 'EACCES') return `${program} could not be started: ${error.message}`;
  const problem = options.cwd === undefined ? undefined : directoryProblem(options.cwd);
  if (problem !== undefined) return `${program} could not be started: the directory ${options.cwd} ${problem}`;

  // `EACCES` is ambiguous: the system also reports it when this user may not search a directory in PATH.
  const { runnable, refused, closed } = search(options);
  if (runnable !== undefined)
    return error.code === 'ENOENT'
      ? `${program} could not be started: the interpreter named in the first line of ${runnable} was not found`
      : `${program} could not be started: ${error.message}`;
  if (refused !== undefined) return `${program} cannot be run: this user has no permission to execute ${refused}`;
  const hint = closed.length === 0 ? '' : ` (this user has no permission to search ${closed.join(', ')})`;
  return `${program} was not found${hint}${splitHint(options.command)}`;
}

interface SearchResult {
  /** The file that the system would execute. */
  readonly runnable?: string;
  /** The first file of that name that this user may not execute. */
  readonly refused?: string;
  /** The directories that this user may not search. */
  readonly closed: readonly string[];
}

/** Searches for the program as the system does: at its path, or in the directories of the PATH in its environment. */
function search({ command, cwd = '.', env = {} }: ProgramOptions): SearchResult {
  const path = minimalEnvironment(env)['PATH'] ?? '';
  const places = command.includes('/') ? [command] : path.split(delimiter).map((directory) => join(directory, command));
  const closed: string[] = [];
  let refused: string | undefined;
  for (const place of places.map((each) => resolve(cwd, each))) {
    try {
      if (!statSync(place).isFile()) continue;
      accessSync(place, constants.X_OK);
      return { runnable: place, closed };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') continue;
      if (canStat(place)) refused ??= place;
      else closed.push(dirname(place));
    }
  }
  return refused === undefined ? { closed } : { refused, closed };
}

function canStat(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

function directoryProblem(directory: string): string | undefined {
  try {
    accessSync(directory, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'cannot be entered by this user' : 'does not exist';
  }
}

/** Returns a hint when `command` holds a whole command line instead of a program. */
function splitHint(command: string): string {
  const [program, ...args] = command.trim().split(/\s+/);
  if (args.length === 0) return '';
  return `; did you mean command ${JSON.stringify(program)} with args ${JSON.stringify(args)}?`;
}
