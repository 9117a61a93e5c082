import { type ReactNode, useSyncExternalStore } from 'react';

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

// One clock for every time on the page. What happened since its last tick is just now.
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

/** A moment, as far from now; the exact time is its title. */
export function TimeAgo({ at }: { readonly at: string }): ReactNode {
  const clock = useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {distance(Date.parse(at) - clock)}
    </time>
  );
}

/** `3 min. ago`, `in 2 hr.`, `just now`. */
export function distance(ms: number): string {
  const [unit, size] = steps.find(([, each]) => Math.abs(ms) >= each) ?? [];
  if (unit === undefined || size === undefined) return ms > tickMs ? 'in less than a minute' : 'just now';
  return words.format(Math.round(ms / size), unit);
}

/** `3 ms`, `1.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
