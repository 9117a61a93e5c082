import { isAbsolute } from 'node:path';
import {
  type ShellCommand,
  maxShellLength,
  parseShell,
  shellWork,
} from '../../policy/conditions/functions/shell-commands.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { withoutQuotes, shellWords } from './text-names.ts';

/** Commands whose last operand is the destination of the others. */
const transferring = new Set([
  'mv',
  'cp',
  'rsync',
  'scp',
  'ren',
  'rename',
  'move',
  'move-item',
  'rename-item',
  'copy-item',
]);
const removing = new Set(['rm', 'rmdir', 'unlink', 'shred', 'trash', 'del', 'rd', 'remove-item']);
/** Commands that only copy, which is relevant for the data directory only, because copying is reading. */
const copying = new Set(['cp', 'rsync', 'scp', 'copy-item']);
const transferOrRemoval =
  /(?:^|[^\w-])(?:mv|cp|rsync|scp|ren|rename|move|rm|rmdir|unlink|shred|trash|del|rd|(?:move|rename|copy|remove)-item)\s/i;
const moveOrRemoval =
  /(?:^|[^\w-])(?:mv|ren|rename|move|rm|rmdir|unlink|shred|trash|del|rd|(?:move|rename|remove)-item)\s/i;
const movingTool =
  /(?:^|[^a-z])(?:move|mv|rename|delete|remove|rm|rmdir|trash)(?![a-z])|^(?:move|rename|delete|remove|trash)[A-Z]/;
const copyingTool = /(?:^|[^a-z])(?:copy|cp)(?![a-z])|^copy[A-Z]/;
const destinationKey = /^(?:dest|dst|target|to$|to_|to[A-Z]|new)/;

/** A path that is moved, removed or copied with everything in it. */
export interface MovedPath {
  readonly path: string;
  readonly isCopy: boolean;
  /** Whether the text could not be parsed, so that the path may be an ordinary word. */
  readonly isUncertain: boolean;
}

/** Units of work, about 10 ns each, for a character. */
const searchWork = 0.5;
const unquoteWork = 3;
const wordsWork = 8;
const pathWork = 30;

/**
 * Returns the paths that a text moves, removes or copies when a shell runs it. For a text that the parser rejects, or that takes too long
 * to parse, every word may be such a path.
 */
export function movedByCommand(text: string, work: WorkBudget): readonly MovedPath[] {
  if (!work.take(text.length * searchWork)) return [];
  if (!transferOrRemoval.test(text)) {
    if (!/["'\\]/.test(text) || !work.take(text.length * unquoteWork) || !transferOrRemoval.test(withoutQuotes(text)))
      return [];
  }
  const units = shellWork(text);
  if (text.length <= maxShellLength && units <= work.left) {
    work.take(units);
    try {
      return movedByCommands(parseShell(text).commands, work);
    } catch {
      // Not shell syntax, or syntax that the parser does not support.
    }
  }
  if (!work.take(text.length * wordsWork)) return [];
  const isCopy = !moveOrRemoval.test(withoutQuotes(text));
  return [...new Set(shellWords(text))].map((path) => ({ path, isCopy, isUncertain: true }));
}

function movedByCommands(commands: readonly ShellCommand[], work: WorkBudget): readonly MovedPath[] {
  const moved = commands.flatMap(({ words }) => movedByWords(words));
  if (moved.length === 0) return [];
  const entered = directoriesEntered(commands, work);
  if (!work.take(moved.length * entered.size * pathWork)) return [];
  return [...entered].flatMap((from) =>
    moved.map(({ path, ...kind }) => ({
      path: from === '.' || isAbsolute(path) ? path : `${from}/${path}`,
      ...kind,
    })),
  );
}

/** Returns the directories that commands change to, each resolved from the start and from the previous one. */
function directoriesEntered(commands: readonly ShellCommand[], work: WorkBudget): ReadonlySet<string> {
  const entered = new Set(['.']);
  let current = '.';
  for (const { name, words } of commands) {
    if (name !== 'cd' && name !== 'pushd') continue;
    const operand = words.slice(1).find((word) => !word.startsWith('-')) ?? '~';
    const target = withoutQuotes(operand);
    current = isAbsolute(target) || /^[~$]/.test(target) ? target : `${current}/${target}`;
    if (!work.take(pathWork + current.length)) break;
    entered.add(target).add(current);
  }
  return entered;
}

/** Returns whether a tool moves, removes or copies the path in an argument, judged by the names of both. */
export function movesArgument(tool: string, key: string): Pick<MovedPath, 'isCopy'> | undefined {
  const isCopy = copyingTool.test(tool);
  return (isCopy || movingTool.test(tool)) && !destinationKey.test(key) ? { isCopy } : undefined;
}

/** Returns the paths that a command moves. The command may follow another one: `sudo mv`, `xargs rm`, `git mv`. */
function movedByWords(words: readonly string[]): readonly MovedPath[] {
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1).toLowerCase());
  const position = names.findIndex((name) => transferring.has(name) || removing.has(name));
  if (position === -1) return [];
  const name = names[position] ?? '';
  const rest = words.slice(position + 1);
  const target = rest.findIndex((word) => /^-[a-zA-Z]*t$|^--target-directory/.test(word));
  const operands = rest.filter((word, index) => !word.startsWith('-') && !isTarget(rest[target], index - target));
  const sources = removing.has(name) || target !== -1 ? operands : operands.slice(0, -1);
  const paths = new Set(sources.flatMap((source) => [source, withoutQuotes(source)]));
  return [...paths].map((path) => ({ path, isCopy: copying.has(name), isUncertain: false }));
}

/** Returns whether the word at this distance from the option `-t` is its value. */
function isTarget(option: string | undefined, distance: number): boolean {
  return distance === 1 && option !== undefined && !option.includes('=');
}
