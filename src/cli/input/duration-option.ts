import { InvalidArgumentError } from 'commander';
import { durationSyntax, parseDurationMs } from '../../core/text/duration.ts';

const isoDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Parses `90s`, `15m`, `1h`, `7d` to milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = parseDurationMs(text);
  if (milliseconds === undefined) throw new InvalidArgumentError(`A duration is ${durationSyntax}.`);
  return milliseconds;
}

/** Parses an age (`1h`) or a date (`2026-08-31`, `2026-08-31T12:00:00Z`) to milliseconds since 1970. */
export function parseSince(text: string, now = Date.now()): number {
  if (!isoDate.test(text)) return now - parseAgeMs(text);
  // `Date` parses a date without a time as UTC, so a time is added to parse both forms as local time.
  const time = new Date(text.includes('T') ? text : `${text}T00:00`).getTime();
  if (Number.isNaN(time)) throw new InvalidArgumentError(`${text} is not a valid date.`);
  return time;
}

function parseAgeMs(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('Give a duration (90s, 15m, 1h, 7d) or a date (2026-08-31, 2026-08-31T12:00:00Z).');
  }
}

/** A duration as people read it: `0.3 ms`, `12 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
