import { Cron } from 'croner';
import { SignalboxError, messageOf } from '../../core/errors.ts';

const example =
  'use five fields: minute, hour, day of the month, month, day of the week; for example "0 9 * * 1-5" for 9:00 on weekdays';
const maxCronChars = 200;
const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** Returns the time zone of this machine. */
export function machineTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Parses a cron expression. `next` returns the first time after another one, or `undefined` when there is none. A time that
 * daylight saving skips runs right after the change; a time that occurs twice runs once. Throws `job-invalid`.
 */
export function parseCron(cron: string, timezone: string): { next(after: number): number | undefined } {
  const fields = cron.trim();
  // croner also accepts dates and seconds, but runs of a job are at least a minute apart.
  if (cron.length > maxCronChars || (fields.split(/\s+/).length !== 5 && !nicknames.test(fields)))
    throw invalid(`${JSON.stringify(cron.slice(0, 50))} is not a valid schedule: ${example}`);
  assertTimezone(timezone);
  try {
    const times = new Cron(fields, { mode: '5-part', timezone });
    return { next: (after) => times.nextRun(new Date(after))?.getTime() };
  } catch (error) {
    const reason = messageOf(error).replace(/^CronPattern: /, '');
    throw invalid(`${JSON.stringify(fields)} is not a valid schedule (${reason}): ${example}`, error);
  }
}

function assertTimezone(timezone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    const shown = JSON.stringify(timezone.slice(0, 50));
    throw invalid(`${shown} is not a valid time zone: use a name such as "Europe/Berlin" or "UTC"`, error);
  }
}

function invalid(message: string, cause?: unknown): SignalboxError {
  return new SignalboxError('job-invalid', message, { cause });
}
