import type { ReactNode } from 'react';
import type { Statistics } from '../../../api/schema.ts';
import { formatDuration, formatTimestamp } from '../../../components/time.tsx';
import { ChartFrame, chartHeight, chartWidth } from './chart-frame.tsx';

const percentiles = ['p99', 'p95', 'p50'] as const;
const minMs = 0.1;

/** Latency percentiles over time, on a logarithmic scale. */
export function LatencyChart({ statistics }: { readonly statistics: Statistics }): ReactNode {
  const { buckets, total, since, until } = statistics;
  const maxMs = Math.max(1, ...buckets.map(({ latencyMs }) => latencyMs?.p99 ?? 0));
  const heightOf = (ms: number): number =>
    chartHeight * (1 - Math.log(Math.max(ms, minMs) / minMs) / Math.log(maxMs / minMs));
  const step = chartWidth / buckets.length;
  const lineOf = (name: (typeof percentiles)[number]): string => {
    let isOpen = false;
    return buckets
      .map(({ latencyMs }, index) => {
        if (latencyMs === undefined) {
          isOpen = false;
          return '';
        }
        const point = `${((index + 0.5) * step).toFixed(1)} ${heightOf(latencyMs[name]).toFixed(1)}`;
        // A bucket between two empty ones is drawn as a short line.
        const drawn = isOpen ? `L${point}` : `M${point}h0.1`;
        isOpen = true;
        return drawn;
      })
      .join('');
  };
  return (
    <ChartFrame
      title="Latency"
      summary={
        total.latencyMs === undefined
          ? 'No calls reached a tool'
          : `Latency: p50 ${formatDuration(total.latencyMs.p50)}, p95 ${formatDuration(total.latencyMs.p95)}, p99 ${formatDuration(total.latencyMs.p99)}`
      }
      legend={percentiles.map((name) => ({ name, className: name }))}
      top={`${formatDuration(maxMs)}, logarithmic`}
      since={since}
      until={until}
      table={{
        head: ['From', 'p50', 'p95', 'p99'],
        rows: buckets.flatMap(({ at, latencyMs }) =>
          latencyMs === undefined
            ? []
            : [
                [
                  formatTimestamp(at),
                  formatDuration(latencyMs.p50),
                  formatDuration(latencyMs.p95),
                  formatDuration(latencyMs.p99),
                ],
              ],
        ),
      }}
    >
      {percentiles.map((name) => (
        <path key={name} className={`line ${name}`} d={lineOf(name)} />
      ))}
    </ChartFrame>
  );
}
