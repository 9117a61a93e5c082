import type { FileChange } from '../core/calls/file-change.ts';
import { printable } from './printable.ts';
import type { Printer } from './terminal.ts';

const signs = { added: '+', modified: '~', deleted: '-' } as const;
const longestDiff = 40;

/** What a call changed, a line each. */
function changeLine({ path, kind, note }: FileChange): string {
  return printable(`${signs[kind]} ${path}${note === undefined ? '' : ` (${note})`}`);
}

/** Returns a line that says how an undo took one change back. */
export function undoneLine({ path, kind, note }: FileChange): string {
  const verb = kind === 'added' ? 'removed' : 'restored';
  const details = note === undefined ? '' : ` (${note})`;
  return printable(`${verb} ${path}, which the call had ${kind}${details}`);
}

/** What a call changed, with the lines that are not what they were. */
export function changeLines(changes: readonly FileChange[], { colors }: Printer): string[] {
  return changes.flatMap((change) => {
    // The first two lines of a diff name the file once more.
    const lines = (change.diff ?? '').trimEnd().split('\n').slice(2);
    const shown = lines.slice(0, longestDiff).map((line) => {
      const paint = line.startsWith('+') ? colors.green : line.startsWith('-') ? colors.red : colors.dim;
      return `  ${paint(printable(line))}`;
    });
    const rest = lines.length > longestDiff ? [`  ${colors.dim(`… ${lines.length - longestDiff} more lines`)}`] : [];
    return [changeLine(change), ...shown, ...rest];
  });
}
