import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { CallKind } from '../store/call-samples.ts';
import type { Store } from '../store/store.ts';

/** A query for statistics of calls. Times are milliseconds since 1970. */
export interface StatisticsQuery {
  readonly since: number;
  readonly until: number;
  readonly bucketMs: number;
  readonly server?: string;
  readonly tool?: string;
  readonly signal?: AbortSignal;
}

/** Percentiles of the durations of calls that reached their tool. */
export interface LatencyPercentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Counts of ended calls. */
export interface CallCounts {
  readonly calls: number;
  /** The number of calls by outcome, without zeros. */
  readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
  /** Absent when no call reached its tool. */
  readonly latencyMs?: LatencyPercentiles;
}

/** Statistics of calls: in total, by time bucket, and by tool and server, most called first. */
export interface Statistics {
  readonly total: CallCounts;
  readonly buckets: readonly (CallCounts & { readonly at: number })[];
  readonly tools: readonly (CallCounts & { readonly tool: string; readonly server: string })[];
  readonly servers: readonly (CallCounts & { readonly server: string })[];
}

const pageSize = 10_000;
const ran: ReadonlySet<OutcomeName> = new Set(['completed', 'failed', 'timed-out']);

/** Counts the ended calls of a period. Yields to the event loop between pages. */
export async function computeStatistics(store: Store, query: StatisticsQuery): Promise<Statistics> {
  const { bucketMs, signal, since, until, ...wanted } = query;
  const kinds = new Map<number, KindGroup>();
  const buckets = Array.from({ length: Math.ceil((until - since) / bucketMs) }, () => new Group());
  let after = {};
  for (;;) {
    const page = await store.samples({ since, until, ...wanted, ...after, limit: pageSize });
    for (const [number, kind] of page.kinds) if (!kinds.has(number)) kinds.set(number, new KindGroup(kind));
    for (let index = 0; index < page.kind.length; index += 1) {
      const kind = kinds.get(page.kind[index] ?? 0);
      if (kind === undefined) continue;
      const took = page.durationMs[index] ?? null;
      kind.add(kind.outcome, took);
      buckets[Math.floor(((page.at[index] ?? 0) - since) / bucketMs)]?.add(kind.outcome, took);
    }
    await yieldTurn();
    signal?.throwIfAborted();
    if (page.next === undefined) break;
    after = { after: page.next };
  }
  const seen = [...kinds.values()].filter(({ calls }) => calls > 0);
  const total = tallyOf(seen);
  await yieldTurn();
  const steps = buckets.map((bucket, index) => ({ at: since + index * bucketMs, ...tallyOf([bucket]) }));
  await yieldTurn();
  const tools = tallies(seen, ({ kind: { tool, server } }) => ({ tool, server }));
  await yieldTurn();
  return { total, buckets: steps, tools, servers: tallies(seen, ({ kind: { server } }) => ({ server })) };
}

/** Collects the outcomes of calls, and the durations of those that reached their tool. */
class Group {
  calls = 0;
  readonly outcomes = new Map<OutcomeName, number>();
  readonly durations: number[] = [];

  add(outcome: OutcomeName, durationMs: number | null): void {
    this.calls += 1;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    if (durationMs !== null && ran.has(outcome)) this.durations.push(durationMs);
  }
}

/** The calls of one kind. */
class KindGroup extends Group {
  readonly kind: CallKind;
  readonly outcome: OutcomeName;

  constructor(kind: CallKind) {
    super();
    this.kind = kind;
    this.outcome = kind.outcome;
  }
}

/** Returns tallies by name, most calls first. Leaves out calls that reached no tool. */
function tallies<Name extends object>(
  groups: readonly KindGroup[],
  nameOf: (group: KindGroup) => Name,
): (Name & CallCounts)[] {
  const named = Map.groupBy(
    groups.filter(({ kind }) => kind.server !== ''),
    (group) => JSON.stringify(nameOf(group)),
  );
  return [...named]
    .map(([name, members]) => ({ ...(JSON.parse(name) as Name), ...tallyOf(members) }))
    .toSorted((one, other) => other.calls - one.calls);
}

function tallyOf(groups: readonly Group[]): CallCounts {
  const outcomes: Partial<Record<OutcomeName, number>> = {};
  for (const group of groups)
    for (const [outcome, calls] of group.outcomes) outcomes[outcome] = (outcomes[outcome] ?? 0) + calls;
  const calls = groups.reduce((sum, group) => sum + group.calls, 0);
  return omitUndefined({ calls, outcomes, latencyMs: latencyOf(groups) });
}

function latencyOf(groups: readonly Group[]): LatencyPercentiles | undefined {
  const sorted = new Float64Array(groups.reduce((sum, { durations }) => sum + durations.length, 0));
  let place = 0;
  for (const { durations } of groups) {
    sorted.set(durations, place);
    place += durations.length;
  }
  if (place === 0) return undefined;
  sorted.sort();
  const at = (share: number): number => sorted[Math.ceil(place * share) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
