import { setImmediate as breath } from 'node:timers/promises';
import type { OutcomeName } from '../model/call.ts';
import type { CallKind } from './call-samples.ts';
import type { Store } from './store.ts';

/** Which calls are counted, and how finely. Times are milliseconds since 1970. */
export interface StatisticsQuery {
  readonly since: number;
  readonly until: number;
  readonly bucketMs: number;
  readonly server?: string;
  readonly tool?: string;
  readonly signal?: AbortSignal;
}

/** How long calls took that reached their tool: no more than this for so many of a hundred. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Some ended calls, counted. */
export interface Tally {
  readonly calls: number;
  /** How many ended so; those that are none are left out. */
  readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
  /** Absent when no call reached its tool. */
  readonly latencyMs?: Latency;
}

/** What the calls of a time were: all of them, in steps of time, and by tool and server, most called first. */
export interface Statistics {
  readonly total: Tally;
  readonly buckets: readonly (Tally & { readonly at: number })[];
  readonly tools: readonly (Tally & { readonly tool: string; readonly server: string })[];
  readonly servers: readonly (Tally & { readonly server: string })[];
}

const pageSize = 10_000;
const ran: ReadonlySet<OutcomeName> = new Set(['completed', 'failed', 'timed-out']);

/** Counts the ended calls of a time. Lets others in between its pages, however many calls there are. */
export async function statisticsOf(store: Store, query: StatisticsQuery): Promise<Statistics> {
  const { bucketMs, signal, ...wanted } = query;
  const total = new Counter();
  const buckets = Array.from({ length: Math.ceil((query.until - query.since) / bucketMs) }, () => new Counter());
  const tools = new Counters();
  const servers = new Counters();
  let after = {};
  for (;;) {
    const page = await store.samples({ ...wanted, ...after, limit: pageSize });
    page.kind.forEach((number, index) => {
      const kind = page.kinds.get(number);
      const bucket = buckets[Math.floor(((page.at[index] ?? 0) - query.since) / bucketMs)];
      if (kind === undefined || bucket === undefined) return;
      const took = ran.has(kind.outcome) ? (page.durationMs[index] ?? null) : null;
      for (const counter of [total, bucket, tools.of(kind.tool, kind), servers.of(kind.server, kind)])
        counter.add(kind.outcome, took);
    });
    if (page.next === undefined) break;
    after = { after: page.next };
    await breath();
    signal?.throwIfAborted();
  }
  return {
    total: total.tally(),
    buckets: buckets.map((bucket, index) => ({ at: query.since + index * bucketMs, ...bucket.tally() })),
    tools: tools.sorted().map(([{ tool, server }, tally]) => ({ tool, server, ...tally })),
    servers: servers.sorted().map(([{ server }, tally]) => ({ server, ...tally })),
  };
}

/** Counts some calls, and keeps how long each took. */
class Counter {
  #calls = 0;
  readonly #outcomes: Partial<Record<OutcomeName, number>> = {};
  readonly #durations: number[] = [];

  add(outcome: OutcomeName, durationMs: number | null): void {
    this.#calls += 1;
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    if (durationMs !== null) this.#durations.push(durationMs);
  }

  tally(): Tally {
    const sorted = Float64Array.from(this.#durations).sort();
    const counted = { calls: this.#calls, outcomes: this.#outcomes };
    if (sorted.length === 0) return counted;
    const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
    return { ...counted, latencyMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99) } };
  }
}

/** Counters by name; calls without one are counted, and not told. */
class Counters {
  readonly #byName = new Map<string, { readonly kind: CallKind; readonly counter: Counter }>();

  of(name: string, kind: CallKind): Counter {
    let known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, (known = { kind, counter: new Counter() }));
    return known.counter;
  }

  sorted(): [CallKind, Tally][] {
    return [...this.#byName]
      .filter(([name]) => name !== '')
      .map(([, { kind, counter }]): [CallKind, Tally] => [kind, counter.tally()])
      .sort(([, one], [, other]) => other.calls - one.calls);
  }
}
