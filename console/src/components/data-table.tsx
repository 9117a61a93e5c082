import type { ReactNode } from 'react';

/** A table with horizontal scrolling. The children are its rows. */
export function DataTable({
  label,
  head,
  kind = 'figures',
  children,
}: {
  readonly label: string;
  readonly head: readonly string[];
  /** Figures are aligned to the end of the column, words to the start. */
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
