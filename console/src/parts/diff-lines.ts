import { seen } from './seen.ts';

/** A line of a diff, and whether it came, went, or only stands there. */
export interface DiffLine {
  readonly text: string;
  readonly kind: 'added' | 'removed' | 'place' | 'aside' | '';
}

const kinds: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'aside' };

/**
 * The lines of one file's unified diff, without the head, which names the file: that stands above it already. After the first place
 * every line is of the file, whatever it looks like: a removed `-- note` begins with `--- `, too.
 */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.slice(Math.max(0, first)).map((line) => ({
    text: seen(line.replace(/\r$/, '')),
    kind: kinds[line[0] ?? ''] ?? '',
  }));
}
