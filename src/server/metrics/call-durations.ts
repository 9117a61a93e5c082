import type { Histogram } from 'prom-client';

const name = 'signalbox_call_duration_seconds';
const bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

interface Series {
  readonly server: string;
  readonly outcome: string;
  /** How many were within each bound and not within the one before; the last beyond all. */
  readonly counts: number[];
  sum: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * How long calls took, as a histogram for Prometheus. Our own, since that of `prom-client` looks its series up by the text of all
 * labels: 2 µs for each call, of which nobody may ever ask. Not by tool: it is a dozen series, and a catalog may have thousands of tools.
 */
export class CallDurations {
  readonly #series = new Map<string, Map<string, Series>>();

  observe(server: string, outcome: string, seconds: number): void {
    let ofServer = this.#series.get(server);
    if (ofServer === undefined) this.#series.set(server, (ofServer = new Map()));
    let series = ofServer.get(outcome);
    if (series === undefined) {
      series = { server, outcome, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
      ofServer.set(outcome, series);
    }
    let place = 0;
    while (place < bounds.length && seconds > (bounds[place] ?? 0)) place += 1;
    series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.sum += seconds;
  }

  /** As much of a metric as a registry needs. */
  get metric(): Histogram {
    const facts = { name, help: 'How long tool calls took, approval included.', type: 'histogram', aggregator: 'sum' };
    const get = (): object => ({ ...facts, values: [...this.#samples()] });
    return { ...facts, get, reset: () => this.#series.clear() } as unknown as Histogram;
  }

  *#samples(): Generator<Sample> {
    for (const ofServer of this.#series.values())
      for (const { server, outcome, counts, sum } of ofServer.values()) {
        let count = 0;
        for (const [place, own] of counts.entries()) {
          count += own;
          yield {
            metricName: `${name}_bucket`,
            labels: { le: bounds[place] ?? '+Inf', server, outcome },
            value: count,
          };
        }
        yield { metricName: `${name}_sum`, labels: { server, outcome }, value: sum };
        yield { metricName: `${name}_count`, labels: { server, outcome }, value: count };
      }
  }
}
