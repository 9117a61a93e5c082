/** Formats a time in the local time zone: `2026-08-31 14:05:09`. */
export function localTime(at: number | string): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Formats a duration: `0.3 ms`, `12 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
