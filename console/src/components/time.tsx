import { type ReactNode, useSyncExternalStore } from 'react';

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

// One timer updates every relative time on the page.
const tickMs = 15_000;
const listeners = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Math.max(now, Date.now());
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** A time relative to now, with the exact time as its title. */
export function TimeAgo({ at }: { readonly at: string }): ReactNode {
  const clock = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString('en', { hourCycle: 'h23' })}>
      {formatDistance(Date.parse(at) - clock)}
    </time>
  );
}

/** `3 min. ago`, `in 2 hr.`, `just now`. */
export function formatDistance(ms: number): string {
  const [unit, size] = steps.find(([, each]) => Math.abs(ms) >= each) ?? [];
  if (unit === undefined || size === undefined) return ms > tickMs ? 'in less than a minute' : 'just now';
  return words.format(Math.round(ms / size), unit);
}

/** `3 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const dayAndTime = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A clock time, with its date unless that is today. */
export function Timestamp({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>{formatTimestamp(at)}</time>;
}

/** `14:03:22`, `Nov 14, 14:03:22`. */
export function formatTimestamp(at: string | number): string {
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? time : dayAndTime).format(date);
}
