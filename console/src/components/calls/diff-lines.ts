import { escapeInvisible } from '../text/escape-invisible.ts';

/** A line of a diff. `place` is a hunk header, `aside` a note such as "No newline at end of file". */
export interface DiffLine {
  readonly text: string;
  readonly kind: 'added' | 'removed' | 'place' | 'aside' | '';
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'aside' };

/**
 * Returns the lines of a unified diff of one file, without its header: the file name is shown above. After the first hunk header
 * every line belongs to the file, even one that looks like a header: a removed `-- note` is `--- note`.
 */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((line) => ({
    text: escapeInvisible(line.replace(/\r$/, '')),
    kind: kinds[line[0] ?? ''] ?? '',
  }));
}
