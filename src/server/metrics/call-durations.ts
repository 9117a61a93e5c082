import type { Histogram } from 'prom-client';

const name = 'signalbox_call_duration_seconds';
const bucketBoundsSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

interface Series {
  readonly server: string;
  readonly outcome: string;
  /** Observations by bucket, not cumulative; the last bucket has no upper bound. */
  readonly counts: number[];
  sum: number;
}

/**
 * A Prometheus histogram of call durations. The histogram of `prom-client` builds a text key of all labels for each observation,
 * which costs 2 µs a call. The tool is not a label, because every tool would add a dozen series.
 */
export class CallDurations {
  readonly #series = new Map<string, Map<string, Series>>();

  observe(server: string, outcome: string, seconds: number): void {
    let byOutcome = this.#series.get(server);
    if (byOutcome === undefined) this.#series.set(server, (byOutcome = new Map()));
    let series = byOutcome.get(outcome);
    if (series === undefined) {
      series = { server, outcome, counts: Array.from({ length: bucketBoundsSeconds.length + 1 }, () => 0), sum: 0 };
      byOutcome.set(outcome, series);
    }
    let bucket = 0;
    while (bucket < bucketBoundsSeconds.length && seconds > (bucketBoundsSeconds[bucket] ?? 0)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  /** Implements the part of `Histogram` that a registry uses. */
  get metric(): Histogram {
    const facts = { name, help: 'How long tool calls took, approval included.', type: 'histogram', aggregator: 'sum' };
    const get = (): object => ({ ...facts, values: [...this.#samples()] });
    return { ...facts, get, reset: () => this.#series.clear() } as unknown as Histogram;
  }

  *#samples(): Generator<object> {
    for (const byOutcome of this.#series.values())
      for (const { server, outcome, counts, sum } of byOutcome.values()) {
        let count = 0;
        for (const [bucket, own] of counts.entries()) {
          count += own;
          yield {
            metricName: `${name}_bucket`,
            labels: { le: bucketBoundsSeconds[bucket] ?? '+Inf', server, outcome },
            value: count,
          };
        }
        yield { metricName: `${name}_sum`, labels: { server, outcome }, value: sum };
        yield { metricName: `${name}_count`, labels: { server, outcome }, value: count };
      }
  }
}
