import { type Figure, storeFigure } from './results.ts';

/** A subject of a measurement: its name, its function, and the number of calls per round. */
export interface Subject {
  readonly name: string;
  readonly calls: number;
  run(index: number): unknown;
}

/** The result of one subject at one concurrency: medians over the rounds, in microseconds. */
export interface Measurement {
  readonly name: string;
  readonly concurrency: number;
  readonly p50: number;
  /** The p50 of each round. */
  readonly p50s: readonly number[];
  readonly p99: number;
  readonly perSecond: number;
  /** The calls per second of each round. */
  readonly perSeconds: readonly number[];
  /** The minimum and maximum of the calls per second over the rounds. */
  readonly spread: readonly [number, number];
}

/** Options of `measure`. */
export interface MeasureOptions {
  readonly concurrency: number;
  readonly rounds: number;
  /** The number of uncounted rounds at the start, during which the code is compiled. */
  readonly warmUp?: number;
  /** The pause between two subjects, in which background work of the first (indexing, checkpoints) ends. */
  readonly pauseMs?: number;
}

/**
 * Measures all subjects in every round, in random order, so that other load of the machine affects all of them equally. Many
 * short rounds are better than few long ones.
 */
export async function measure(
  subjects: readonly Subject[],
  { concurrency, rounds, warmUp = 1, pauseMs = 150 }: MeasureOptions,
): Promise<Measurement[]> {
  const samples = subjects.map(() => ({ p50: [] as number[], p99: [] as number[], perSecond: [] as number[] }));
  for (let round = -warmUp; round < rounds; round++) {
    for (const [index, subject] of shuffled([...subjects.entries()])) {
      const latencies: number[] = [];
      let next = 0;
      const roundStart = performance.now();
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          while (next < subject.calls) {
            const started = performance.now();
            await subject.run(next++);
            latencies.push((performance.now() - started) * 1000);
          }
        }),
      );
      const seconds = (performance.now() - roundStart) / 1000;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (round < 0) continue;
      latencies.sort((a, b) => a - b);
      samples[index]?.p50.push(quantile(latencies, 0.5));
      samples[index]?.p99.push(quantile(latencies, 0.99));
      samples[index]?.perSecond.push(latencies.length / seconds);
    }
  }
  return subjects.map(({ name }, index) => {
    const { p50 = [], p99 = [], perSecond = [] } = samples[index] ?? {};
    return {
      name,
      concurrency,
      p50: median(p50),
      p50s: p50,
      p99: median(p99),
      perSecond: median(perSecond),
      perSeconds: perSecond,
      spread: [Math.min(...perSecond), Math.max(...perSecond)],
    };
  });
}

/** Returns the items in random order. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}

/** Returns the duration of some work in milliseconds. */
export async function durationOf(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return quantile(sorted, 0.5);
}

/** Returns the value at a share of sorted values, such as 0.99 for p99; for 1, the maximum. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the interquartile range, because on a shared machine the extremes reflect other load. */
export function spreadOf(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const valueAt = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return [valueAt(0.25), valueAt(0.75)];
}

/**
 * Returns the latency relative to another measurement: the median of the ratios per round, because load varies between rounds.
 */
export function ratioOf(measured: Measurement, base: Measurement): number {
  return median(measured.p50s.map((p50, round) => p50 / (base.p50s[round] ?? Number.NaN)));
}

/** Returns the throughput relative to another measurement: the median of the ratios per round. */
export function throughputOf(measured: Measurement, base: Measurement): number {
  return median(measured.perSeconds.map((each, round) => each / (base.perSeconds[round] ?? Number.NaN)));
}

/** Returns the figure of some measurements: the latency of sequential calls, or the throughput of concurrent ones. */
function figureOf(measurements: readonly Measurement[]): Omit<Figure, 'title'> {
  return measurements.some(({ concurrency }) => concurrency > 1)
    ? {
        unit: 'calls/s',
        isMoreBetter: true,
        bars: measurements.map(({ name, perSecond, perSeconds }) => ({
          name,
          value: perSecond,
          spread: spreadOf(perSeconds),
        })),
      }
    : {
        unit: 'µs a call, p50',
        isMoreBetter: false,
        bars: measurements.map(({ name, p50, p50s }) => ({ name, value: p50, spread: spreadOf(p50s) })),
      };
}

/** Prints measurements as a Markdown table, with ratios against the subject named `against`. */
export function printTable(title: string, measurements: readonly Measurement[], against: string): void {
  const base = measurements.find((each) => each.name === against);
  storeFigure({ title, ...figureOf(measurements) });
  console.log(`\n${title}\n`);
  console.log(`| | p50 µs | p99 µs | calls/s (spread) | p50 against ${against} |`);
  console.log('|---|---|---|---|---|');
  for (const measured of measurements) {
    const { name, p50, p99, perSecond, spread } = measured;
    const ratio = base === undefined ? '' : `${ratioOf(measured, base).toFixed(2)}×`;
    const range = spread.map((each) => Math.round(each).toLocaleString('en')).join('–');
    console.log(
      `| ${name} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${Math.round(perSecond).toLocaleString('en')} (${range}) | ${ratio} |`,
    );
  }
}
