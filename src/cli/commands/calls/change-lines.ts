import type { FileChange } from '../../../core/calls/file-change.ts';
import { printable } from '../../terminal/escape.ts';
import type { Printer } from '../../terminal/terminal.ts';

const signs = { added: '+', modified: '~', deleted: '-' } as const;
const maxDiffLines = 40;

/** Formats one change: sign, path and note. */
function changeLine({ path, kind, note }: FileChange): string {
  return printable(`${signs[kind]} ${path}${note === undefined ? '' : ` (${note})`}`);
}

/** Formats a change that an undo reverted. */
export function undoneLine({ path, kind, note }: FileChange): string {
  const verb = kind === 'added' ? 'removed' : 'restored';
  const details = note === undefined ? '' : ` (${note})`;
  return printable(`${verb} ${path}, which the call had ${kind}${details}`);
}

/** Returns a line for each changed file, followed by its diff. */
export function changeLines(changes: readonly FileChange[], { colors }: Printer): string[] {
  return changes.flatMap((change) => {
    // The first two lines of a diff repeat the file name.
    const lines = (change.diff ?? '').trimEnd().split('\n').slice(2);
    const shown = lines.slice(0, maxDiffLines).map((line) => {
      const paint = line.startsWith('+') ? colors.green : line.startsWith('-') ? colors.red : colors.dim;
      return `  ${paint(printable(line))}`;
    });
    const rest = lines.length > maxDiffLines ? [`  ${colors.dim(`… ${lines.length - maxDiffLines} more lines`)}`] : [];
    return [changeLine(change), ...shown, ...rest];
  });
}
