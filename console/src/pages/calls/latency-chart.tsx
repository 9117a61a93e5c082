import type { ReactNode } from 'react';
import type { Statistics } from '../../api/schema.ts';
import { momentText } from '../../parts/moment.tsx';
import { duration } from '../../parts/time-ago.tsx';
import { ChartFrame, chartHeight, chartWidth } from './chart-frame.tsx';

const percentiles = ['p99', 'p95', 'p50'] as const;
const least = 0.1;

/** How long calls took, on a logarithmic scale: from a tenth of a millisecond to minutes. */
export function LatencyChart({ statistics }: { readonly statistics: Statistics }): ReactNode {
  const { buckets, total, since, until } = statistics;
  const most = Math.max(1, ...buckets.map(({ latencyMs }) => latencyMs?.p99 ?? 0));
  const heightOf = (ms: number): number =>
    chartHeight * (1 - Math.log(Math.max(ms, least) / least) / Math.log(most / least));
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
        // A stretch with calls between two without is a short line.
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
          ? 'No call reached its tool'
          : `Half of the calls took at most ${duration(total.latencyMs.p50)}, 95 of 100 at most ${duration(total.latencyMs.p95)}, 99 of 100 at most ${duration(total.latencyMs.p99)}`
      }
      legend={percentiles.map((name) => ({ name, className: name }))}
      top={`${duration(most)}, logarithmic`}
      since={since}
      until={until}
      table={{
        head: ['From', 'p50', 'p95', 'p99'],
        rows: buckets.flatMap(({ at, latencyMs }) =>
          latencyMs === undefined
            ? []
            : [[momentText(at), duration(latencyMs.p50), duration(latencyMs.p95), duration(latencyMs.p99)]],
        ),
      }}
    >
      {percentiles.map((name) => (
        <path key={name} className={`line ${name}`} d={lineOf(name)} />
      ))}
    </ChartFrame>
  );
}
