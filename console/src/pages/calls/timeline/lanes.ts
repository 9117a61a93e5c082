import type { CallEntry } from '../../../api/schema.ts';

/** The property of a call that assigns it to a lane. */
export type LaneKey = 'server' | 'session' | 'tool';

/** A time range, in milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** A call in its lane. Calls that overlap are in different rows. */
export interface Bar {
  readonly call: CallEntry;
  readonly start: number;
  readonly end: number;
  readonly row: number;
}

interface Lane {
  readonly name: string;
  readonly rows: number;
  readonly bars: readonly Bar[];
}

const maxRows = 12;

/** Returns the displayed time range: the requested one, with open ends filled in from the calls. */
export function toTimeRange(
  calls: readonly CallEntry[],
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
): TimeRange {
  const now = Date.now();
  const times = calls.map((call) => timesOf(call, now));
  const first = Math.min(...times.map(({ start }) => start), now - 1000);
  const last = calls.length === 0 ? now : Math.max(...times.map(({ end }) => end));
  const [from, to] = [since === undefined ? first : Date.parse(since), until === undefined ? last : Date.parse(until)];
  const margin = Math.max(1, (to - from) * 0.01);
  return { from: since === undefined ? from - margin : from, until: until === undefined ? to + margin : to };
}

/** Groups calls into lanes and puts overlapping ones into different rows. A bar has a minimum width to stay visible. */
export function toLanes(calls: readonly CallEntry[], by: LaneKey, { from, until }: TimeRange): readonly Lane[] {
  const now = Date.now();
  const minWidthMs = (until - from) * 0.004;
  const lanes = Map.groupBy(calls, (call) => nameOf(call, by));
  return [...lanes]
    .map(([name, group]) => {
      const ends: number[] = [];
      const bars = group
        .map((call) => ({ call, ...timesOf(call, now) }))
        .toSorted((one, other) => one.start - other.start)
        .map((bar) => {
          const free = ends.findIndex((end) => end <= bar.start);
          const row = free === -1 ? Math.min(ends.length, maxRows - 1) : free;
          ends[row] = Math.max(bar.end, bar.start + minWidthMs);
          return { ...bar, row };
        });
      return { name, rows: ends.length, bars };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the ticks of the time axis, each at a share of its length. */
export function toTicks({ from, until }: TimeRange): readonly { readonly at: number; readonly share: number }[] {
  return [0, 0.25, 0.5, 0.75].map((share) => ({ share, at: Math.round(from + (until - from) * share) }));
}

/** Returns the start and end of a call. An entry has the time at which the call ended. */
function timesOf(call: CallEntry, now: number): { readonly start: number; readonly end: number } {
  const at = Date.parse(call.at);
  if (call.type === 'CallStarted') return { start: at, end: Math.max(at, now) };
  return { start: at - (call.durationMs ?? 0), end: at };
}

function nameOf({ server, sessionId, tool }: CallEntry, by: LaneKey): string {
  switch (by) {
    case 'server':
      return server ?? 'no server';
    case 'session':
      return sessionId ?? 'no session';
    case 'tool':
      return tool;
  }
}
