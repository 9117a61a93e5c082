import type { ReactNode } from 'react';

/** A table that scrolls by itself where it is too wide. The rows are its children. */
export function DataTable({
  label,
  head,
  kind = 'figures',
  children,
}: {
  readonly label: string;
  readonly head: readonly string[];
  /** Figures stand at the end of their column, words at the beginning. */
  readonly kind?: 'figures' | 'words';
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="data-table" role="group" aria-label={label} tabIndex={0}>
      <table className={kind}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
