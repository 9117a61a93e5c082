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
