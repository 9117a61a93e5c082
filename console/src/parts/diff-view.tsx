import type { ReactNode } from 'react';

/** A unified diff, line by line. */
export function DiffView({ diff, label }: { readonly diff: string; readonly label: string }): ReactNode {
  const lines = diff
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !isHeading(line));
  return (
    <pre className="diff" role="group" aria-label={label} tabIndex={0}>
      {lines.map((line, index) => (
        // A line has no other name than its place.
        <span key={`${index} ${line}`} className={`diff-line ${kindOf(line)}`}>
          {line.startsWith('\\') ? line : `${line}\n`}
        </span>
      ))}
    </pre>
  );
}

/** The names of the files stand above the diff already. */
function isHeading(line: string): boolean {
  return /^(Index: |=====|--- |\+\+\+ |diff )/.test(line);
}

const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place', '\\': 'aside' };

function kindOf(line: string): string {
  return kinds[line[0] ?? ''] ?? '';
}
