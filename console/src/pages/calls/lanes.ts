import type { CallEntry } from '../../api/schema.ts';

/** What lanes are made of. */
export type LaneName = 'server' | 'session' | 'tool';

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** A call in its lane: from when until when, and in which row beside others of the same time. */
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

const mostRows = 12;

/** The time that is drawn: what was asked for, as far as it is open the time of the calls. */
export function stretchOf(
  calls: readonly CallEntry[],
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
): Stretch {
  const now = Date.now();
  const times = calls.map((call) => timesOf(call, now));
  const first = Math.min(...times.map(({ start }) => start), now - 1000);
  const last = calls.length === 0 ? now : Math.max(...times.map(({ end }) => end));
  const [from, to] = [since === undefined ? first : Date.parse(since), until === undefined ? last : Date.parse(until)];
  const margin = Math.max(1, (to - from) * 0.01);
  return { from: since === undefined ? from - margin : from, until: until === undefined ? to + margin : to };
}

/** Calls by lane, those that overlap below each other. A bar is at least as wide as it can be seen. */
export function lanesOf(calls: readonly CallEntry[], by: LaneName, { from, until }: Stretch): readonly Lane[] {
  const now = Date.now();
  const least = (until - from) * 0.004;
  const lanes = Map.groupBy(calls, (call) => nameOf(call, by));
  return [...lanes]
    .map(([name, group]) => {
      const ends: number[] = [];
      const bars = group
        .map((call) => ({ call, ...timesOf(call, now) }))
        .toSorted((one, other) => one.start - other.start)
        .map((bar) => {
          const free = ends.findIndex((end) => end <= bar.start);
          const row = free === -1 ? Math.min(ends.length, mostRows - 1) : free;
          ends[row] = Math.max(bar.end, bar.start + least);
          return { ...bar, row };
        });
      return { name, rows: ends.length, bars };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Moments along the axis, at a share of its length. */
export function ticksOf({ from, until }: Stretch): readonly { readonly at: number; readonly share: number }[] {
  return [0, 0.25, 0.5, 0.75].map((share) => ({ share, at: Math.round(from + (until - from) * share) }));
}

/** An entry is written when the call has ended. */
function timesOf(call: CallEntry, now: number): { readonly start: number; readonly end: number } {
  const at = Date.parse(call.at);
  if (call.type === 'CallStarted') return { start: at, end: Math.max(at, now) };
  return { start: at - (call.durationMs ?? 0), end: at };
}

function nameOf({ server, sessionId, tool }: CallEntry, by: LaneName): string {
  switch (by) {
    case 'server':
      return server ?? 'no server';
    case 'session':
      return sessionId ?? 'no session';
    case 'tool':
      return tool;
  }
}
