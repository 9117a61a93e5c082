import { loadavg } from 'node:os';
import { type Measurement, spreadOf } from '../measure.ts';
import { storeFigure } from '../results.ts';

/** A row of the table: the figures of one gateway. */
export interface Row {
  readonly measurement: Measurement;
  /** The processor time of the gateway's process per call. */
  readonly processorUs?: number;
  readonly megabytes?: number;
}

/** The measurements that the ratios refer to. */
interface Against {
  readonly best: Measurement | undefined;
  readonly base: Measurement;
  ratio(measured: Measurement, base: Measurement): number;
}

/** A goal: its subject, the measured value (undefined without a peer to compare with), and the limit. */
export type Goal = readonly [
  subject: string,
  measured: number | undefined,
  bound: 'at least' | 'at most',
  limit: number,
];

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const optional = (value: number | undefined, digits = 0): string => (value === undefined ? '' : value.toFixed(digits));

/** Returns the best of the third-party products, if any was measured. */
export function bestPeer(
  measured: readonly Measurement[],
  peers: readonly string[],
  isBetter: (one: Measurement, other: Measurement) => boolean,
): Measurement | undefined {
  const [first, ...others] = measured.filter(({ name }) => peers.includes(name));
  return others.reduce((best, each) => (best !== undefined && isBetter(each, best) ? each : best), first);
}

/** Prints a series as a Markdown table. */
export function printRows(title: string, rows: readonly Row[], { best, base, ratio }: Against): void {
  const load = loadavg()[0]?.toFixed(1);
  const measured = rows.map(({ measurement }) => measurement);
  const isMany = measured.some(({ concurrency }) => concurrency > 1);
  const figure = isMany
    ? {
        unit: 'calls/s',
        isMoreBetter: true,
        bars: measured.map(({ name, perSecond, perSeconds }) => ({
          name,
          value: perSecond,
          spread: spreadOf(perSeconds),
        })),
      }
    : {
        unit: 'ms, p50',
        isMoreBetter: false,
        bars: measured.map(({ name, p50, p50s }) => ({
          name,
          value: p50 / 1000,
          spread: spreadOf(p50s.map((each) => each / 1000)),
        })),
      };
  storeFigure({ title, ...figure });
  console.log(`\n### ${title} (load of the machine ${load})\n`);
  console.log(
    `| | calls/s (spread) | p50 ms | p99 ms | CPU µs per call | MB | against ${best?.name ?? 'no peer'} | against ${base.name} |`,
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const { measurement, processorUs, megabytes } of rows) {
    const { name, perSecond, spread, p50, p99 } = measurement;
    const ratios = [best, base].map((each) => (each === undefined ? '' : `${ratio(measurement, each).toFixed(2)}×`));
    const cells = [
      name,
      `${whole(perSecond)} (${spread.map(whole).join('–')})`,
      (p50 / 1000).toFixed(2),
      (p99 / 1000).toFixed(2),
      optional(processorUs),
      optional(megabytes),
      ...ratios,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** Prints whether the goals are met. */
export function printGoals(goals: readonly Goal[]): void {
  console.log('');
  for (const [subject, measured, bound, limit] of goals) {
    if (measured === undefined) console.log(`- ${subject}: not measured`);
    else {
      const isMet = bound === 'at least' ? measured >= limit : measured <= limit;
      console.log(`- ${subject}: ${measured.toFixed(2)}, ${bound} ${limit}: ${isMet ? 'met' : 'missed'}`);
    }
  }
}
