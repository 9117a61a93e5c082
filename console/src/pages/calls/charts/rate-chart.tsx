import type { ReactNode } from 'react';
import type { Statistics } from '../../../api/schema.ts';
import { formatDuration, formatTimestamp } from '../../../components/time.tsx';
import { ChartFrame, chartHeight, chartWidth } from './chart-frame.tsx';
import { outcomeNames } from '../outcome-names.ts';

/** The number of calls over time, by outcome. */
export function RateChart({ statistics }: { readonly statistics: Statistics }): ReactNode {
  const { buckets, total, bucketSeconds, since, until } = statistics;
  const maxCalls = Math.max(1, ...buckets.map(({ calls }) => calls));
  const present = outcomeNames.filter((name) => (total.outcomes[name] ?? 0) > 0);
  const step = chartWidth / buckets.length;
  const each = formatDuration(bucketSeconds * 1000).replace(/ 0 s$/, '');
  return (
    <ChartFrame
      title={`Calls per ${each}`}
      summary={`${total.calls} calls from ${formatTimestamp(since)} to ${formatTimestamp(until)}, at most ${maxCalls} per ${each}`}
      legend={present.map((name) => ({ name, className: name }))}
      top={maxCalls.toLocaleString('en')}
      since={since}
      until={until}
      table={{
        head: ['From', 'Calls', ...present],
        rows: buckets
          .filter(({ calls }) => calls > 0)
          .map(({ at, calls, outcomes }) => [
            formatTimestamp(at),
            String(calls),
            ...present.map((name) => String(outcomes[name] ?? 0)),
          ]),
      }}
    >
      {buckets.flatMap(({ at, outcomes }, index) => {
        let below = chartHeight;
        return present.flatMap((name) => {
          const height = ((outcomes[name] ?? 0) / maxCalls) * chartHeight;
          below -= height;
          const sides = { x: index * step, y: below, width: Math.max(step * 0.82, 0.5), height };
          return height === 0 ? [] : [<rect key={`${at} ${name}`} className={name} {...sides} />];
        });
      })}
    </ChartFrame>
  );
}
