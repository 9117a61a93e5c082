import type { ReactNode } from 'react';
import { DataTable } from '../../../components/data-table.tsx';
import { formatTimestamp } from '../../../components/time.tsx';

/** The view box of a chart, which is stretched to the available space. Text is outside of it. */
export const [chartWidth, chartHeight] = [1000, 200];

/** A chart with axes, a legend and a table of the same data. */
export function ChartFrame({
  title,
  summary,
  legend,
  top,
  since,
  until,
  table,
  children,
}: {
  readonly title: string;
  readonly summary: string;
  readonly legend: readonly { readonly name: string; readonly className: string }[];
  /** The value at the upper edge. */
  readonly top: string;
  readonly since: string;
  readonly until: string;
  readonly table: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  readonly children: ReactNode;
}): ReactNode {
  return (
    <figure className="card chart">
      <figcaption>
        <h2>{title}</h2>
        <ul className="legend" aria-label="Legend">
          {legend.map(({ name, className }) => (
            <li key={name}>
              <span className={`swatch ${className}`} />
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div className="chart-drawing">
        <span className="faint chart-top">{top}</span>
        <svg viewBox={`0 0 ${chartWidth} ${chartHeight}`} preserveAspectRatio="none" role="img" aria-label={summary}>
          {[0.25, 0.5, 0.75].map((share) => (
            <line
              key={share}
              className="grid"
              x1={0}
              x2={chartWidth}
              y1={chartHeight * share}
              y2={chartHeight * share}
            />
          ))}
          {children}
        </svg>
      </div>
      <div className="faint chart-times" aria-hidden="true">
        <span>{formatTimestamp(since)}</span>
        <span>{formatTimestamp(until)}</span>
      </div>
      <details className="fold">
        <summary>Show as table</summary>
        <DataTable label={title} head={table.head}>
          {table.rows.map(([name, ...values]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td key={table.head[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </DataTable>
      </details>
    </figure>
  );
}
