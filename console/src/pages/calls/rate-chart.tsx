import type { ReactNode } from 'react';
import type { Statistics } from '../../api/schema.ts';
import { momentText } from '../../parts/moment.tsx';
import { duration } from '../../parts/time-ago.tsx';
import { ChartFrame, chartHeight, chartWidth } from './chart-frame.tsx';
import { outcomeNames } from './outcome-names.ts';

/** How many calls ended in each stretch of time, and how. */
export function RateChart({ statistics }: { readonly statistics: Statistics }): ReactNode {
  const { buckets, total, bucketSeconds, since, until } = statistics;
  const most = Math.max(1, ...buckets.map(({ calls }) => calls));
  const present = outcomeNames.filter((name) => (total.outcomes[name] ?? 0) > 0);
  const step = chartWidth / buckets.length;
  const each = duration(bucketSeconds * 1000).replace(/ 0 s$/, '');
  return (
    <ChartFrame
      title={`Calls in ${each}`}
      summary={`${total.calls} calls from ${momentText(since)} to ${momentText(until)}, at most ${most} in ${each}`}
      legend={present.map((name) => ({ name, className: name }))}
      top={most.toLocaleString('en')}
      since={since}
      until={until}
      table={{
        head: ['From', 'Calls', ...present],
        rows: buckets
          .filter(({ calls }) => calls > 0)
          .map(({ at, calls, outcomes }) => [
            momentText(at),
            String(calls),
            ...present.map((name) => String(outcomes[name] ?? 0)),
          ]),
      }}
    >
      {buckets.flatMap(({ at, outcomes }, index) => {
        let below = chartHeight;
        return present.flatMap((name) => {
          const height = ((outcomes[name] ?? 0) / most) * chartHeight;
          below -= height;
          const sides = { x: index * step, y: below, width: Math.max(step * 0.82, 0.5), height };
          return height === 0 ? [] : [<rect key={`${at} ${name}`} className={name} {...sides} />];
        });
      })}
    </ChartFrame>
  );
}
