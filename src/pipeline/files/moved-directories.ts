import { isAbsolute } from 'node:path';
import { parseShell } from '../../policy/conditions/functions/shell-commands.ts';

/** Commands whose last operand is where the others go. */
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
/** Copying is reading: it matters for the data directory alone. */
const copying = new Set(['cp', 'rsync', 'scp', 'copy-item']);
const anyOfThem =
  /(?:^|[^\w-])(?:mv|cp|rsync|scp|ren|rename|move|rm|rmdir|unlink|shred|trash|del|rd|(?:move|rename|copy|remove)-item)\s/i;
const movingTool =
  /(?:^|[^a-z])(?:move|mv|rename|delete|remove|rm|rmdir|trash)(?![a-z])|^(?:move|rename|delete|remove|trash)[A-Z]/;
const copyingTool = /(?:^|[^a-z])(?:copy|cp)(?![a-z])|^copy[A-Z]/;
const destinationKey = /^(?:dest|dst|target|to$|to_|to[A-Z]|new)/;

/** A place that is moved, removed or copied with everything in it. */
export interface Moved {
  readonly place: string;
  readonly isCopy: boolean;
}

/** Returns the places that a text moves, removes or copies when a shell runs it. */
export function movedByCommand(text: string): readonly Moved[] {
  if (!anyOfThem.test(text)) return [];
  try {
    const { commands } = parseShell(text);
    const entered = commands.filter(({ name }) => name === 'cd' || name === 'pushd').map(({ words }) => words.at(-1));
    const moved = commands.flatMap(({ words }) => movedByWords(words));
    return ['.', ...entered].flatMap((from) =>
      moved.map(({ place, isCopy }) => ({
        place: from === '.' || isAbsolute(place) ? place : `${from}/${place}`,
        isCopy,
      })),
    );
  } catch {
    // Not a shell text.
    return [];
  }
}

/** Returns whether a tool moves, removes or copies what an argument names, judged by their names. */
export function movesArgument(tool: string, key: string): Pick<Moved, 'isCopy'> | undefined {
  const isCopy = copyingTool.test(tool);
  return (isCopy || movingTool.test(tool)) && !destinationKey.test(key) ? { isCopy } : undefined;
}

/** The command may be behind another one: `sudo mv`, `xargs rm`, `git mv`. */
function movedByWords(words: readonly string[]): readonly Moved[] {
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1).toLowerCase());
  const at = names.findIndex((name) => transferring.has(name) || removing.has(name));
  if (at === -1) return [];
  const name = names[at] ?? '';
  const rest = words.slice(at + 1);
  const target = rest.findIndex((word) => /^-[a-zA-Z]*t$|^--target-directory/.test(word));
  const operands = rest.filter((word, index) => !word.startsWith('-') && !isTarget(rest[target], index - target));
  const sources = removing.has(name) || target !== -1 ? operands : operands.slice(0, -1);
  return sources.map((place) => ({ place, isCopy: copying.has(name) }));
}

/** Whether the word that follows the option `-t` by so many words is its value. */
function isTarget(option: string | undefined, distance: number): boolean {
  return distance === 1 && option !== undefined && !option.includes('=');
}
