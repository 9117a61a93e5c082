import { dirname, isAbsolute, join } from 'node:path';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import {
  type ShellCommand,
  maxShellLength,
  parseShell,
  shellWork,
} from '../../policy/conditions/functions/shell-commands.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';
import { withoutQuotes, shellWords } from './text-names.ts';

/** Commands whose last operand is the destination of the others. A link or a mount gives a directory another name. */
const transferring = new Set([
  'mv',
  'gmv',
  'cp',
  'gcp',
  'copy',
  'xcopy',
  'robocopy',
  'ditto',
  'ln',
  'mount',
  'rsync',
  'scp',
  'ren',
  'rename',
  'move',
  'mklink',
  'move-item',
  'rename-item',
  'copy-item',
]);
const removing = new Set('rm grm rmdir unlink shred trash trash-put rimraf del erase rd remove-item'.split(' '));
/** Commands that name every directory as a source. */
const withoutDestination = new Set(['rename', 'mklink']);
/** Commands whose operands are texts, never commands. */
const searching = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack', 'ls', 'which', 'man']);
/** Commands that only copy, which is relevant for the data directory only, because copying is reading. */
const copying = new Set('cp gcp copy xcopy robocopy ditto rsync scp copy-item'.split(' '));
const moving = [...transferring, ...removing].filter((name) => !copying.has(name));
const transferOrRemoval = commandPattern([...moving, ...copying]);
const moveOrRemoval = commandPattern(moving);
/** An option that may name the destination: `-t`, `-rt/to`, `--target-directory` and its abbreviations, `-Destination`. */
const targetOption = /^-(?!-)\w*t|^--t/;

const removingVerbs =
  /delete|remove|trash|erase|unlink|destroy|(?:^|_)(?:rm|rmdir|rmtree|rmrf|del|rd|purge|wipe)(?:_|$)/;
const linkingVerbs = /symlink|(?:^|_)(?:link|ln|mount)(?:_|$)/;
const movingVerbs = /move|rename|relocate|(?:^|_)(?:mv|mvdir|ren)(?:_|$)/;
const copyingVerbs = /copy|duplicate|(?:^|_)(?:cp|cpdir|clone)(?:_|$)/;
const destinationKey = /^(?:dest|dst|target|to$|to_|new)/;
const sourceKey =
  /^(?:source|src|from|old|origin|current|paths?$|files?(?:_|$)|filename|dir|folder|input|item|entry|ur[il]$)/;

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

/** The directories that the arguments of a tool move, judged by the name of the tool. */
export interface MovingTool {
  readonly isCopy: boolean;
  /** Whether one of the arguments may be a destination. */
  readonly hasDestination: boolean;
}

/** Returns what a tool does with the directories in its arguments: `move_file`, `DeleteDirectory`, `fileDelete`. */
export function movingTool(tool: string): MovingTool | undefined {
  const name = snakeCase(tool);
  if (removingVerbs.test(name) || linkingVerbs.test(name)) return { isCopy: false, hasDestination: false };
  if (movingVerbs.test(name)) return { isCopy: false, hasDestination: true };
  return copyingVerbs.test(name) ? { isCopy: true, hasDestination: true } : undefined;
}

/**
 * Returns the key of the destination in an object of arguments, which is not moved itself: the only key with such a name, next to a source.
 */
export function destinationIn(tool: MovingTool, object: JsonObject): string | undefined {
  if (!tool.hasDestination) return undefined;
  const keys = Object.keys(object).map((key) => ({ key, name: snakeCase(key) }));
  const [destination, another] = keys.filter(({ name }) => destinationKey.test(name));
  const hasSource = keys.some(({ key, name }) => sourceKey.test(name) && isNamed(object[key]));
  return another === undefined && hasSource ? destination?.key : undefined;
}

function isNamed(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}

/** Splits words at capital letters: `moveFile` becomes `move_file`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .toLowerCase();
}

/** Returns the paths that a command moves. The command may follow another one, or its options: `sudo mv`, `xargs rm`, `env -u mv rm`. */
export function movedByWords(words: readonly string[]): readonly MovedPath[] {
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1).toLowerCase());
  if (searching.has(names[0] ?? '')) return [];
  return names.flatMap((name, position) =>
    transferring.has(name) || removing.has(name) ? movedBy(name, words.slice(position + 1)) : [],
  );
}

function movedBy(name: string, given: readonly string[]): readonly MovedPath[] {
  const rest = given.map(withoutQuotes);
  const end = rest.indexOf('--');
  const operands = rest.filter((word, index) => !word.startsWith('-') || (end !== -1 && index > end));
  const mayEndInTarget =
    transferring.has(name) &&
    !withoutDestination.has(name) &&
    operands.length > 1 &&
    !rest.some((word) => targetOption.test(word));
  const sources = mayEndInTarget ? operands.slice(0, -1) : operands;
  // The value of an option may be a source too, and does no harm if it is the destination.
  for (const word of rest) if (word.startsWith('-')) sources.push(...attachedValues(word));
  // A relative link starts from its own directory.
  const link = operands.at(-1) ?? '';
  if (name === 'ln') sources.push(...operands.flatMap((each) => [join(link, each), join(dirname(link), each)]));
  return [...new Set(sources)].map((path) => ({ path, isCopy: copying.has(name), isUncertain: false }));
}

/** Returns what may be the value in an option: `--target=/to`, `-rt/to`, `-t../to`. */
function attachedValues(word: string): string[] {
  const starts = [word.indexOf('=') + 1, word.search(/[/~.]/)];
  return starts.filter((start) => start > 0).map((start) => word.slice(start));
}

/** Returns a pattern for a text in which a shell may run one of the commands. */
function commandPattern(names: readonly string[]): RegExp {
  return new RegExp(`(?:^|[^\\w-])(?:${names.join('|')})[\\s<>&]`, 'i');
}
