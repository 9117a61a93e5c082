import { Cron } from 'croner';
import { SignalboxError, messageOf } from '../core/errors.ts';

const example =
  'five fields are needed: minute, hour, day of the month, month, day of the week; for instance "0 9 * * 1-5", at nine on working days';
const longest = 200;
const nicknames = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** The time zone of this machine. */
export function machineTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * The times a cron expression stands for. `next` is the first after a time, or `undefined` when there is none. Where clocks are
 * set forward a time that is left out comes when they have been, where they are set back one that comes twice counts once.
 */
export function cronTimes(cron: string, timezone: string): { next(after: number): number | undefined } {
  const fields = cron.trim();
  // croner would take a date, too, and seconds: a job has at least a minute between its runs.
  if (cron.length > longest || (fields.split(/\s+/).length !== 5 && !nicknames.test(fields)))
    throw invalid(`${JSON.stringify(cron.slice(0, 50))} is no schedule: ${example}`);
  assertTimezone(timezone);
  try {
    const times = new Cron(fields, { mode: '5-part', timezone });
    return { next: (after) => times.nextRun(new Date(after))?.getTime() };
  } catch (error) {
    const reason = messageOf(error).replace(/^CronPattern: /, '');
    throw invalid(`${JSON.stringify(fields)} is no schedule (${reason}): ${example}`, error);
  }
}

function assertTimezone(timezone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    const shown = JSON.stringify(timezone.slice(0, 50));
    throw invalid(`${shown} is no time zone: a name like "Europe/Berlin" or "UTC" is needed`, error);
  }
}

function invalid(message: string, cause?: unknown): SignalboxError {
  return new SignalboxError('job-invalid', message, { cause });
}
