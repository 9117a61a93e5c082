import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SignalboxError } from '../../core/errors.ts';
import { parseCron } from './cron-times.ts';

/** Returns the first times after an instant, in ISO 8601. */
function times(cron: string, timezone: string, after: string, count: number): string[] {
  const schedule = parseCron(cron, timezone);
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(after); found.length < count;) {
    at = schedule.next(at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('parseCron', () => {
  test('returns times in the time zone of the schedule, each strictly after the previous one', () => {
    assert.deepEqual(times('0 9 * * 1-5', 'Europe/Berlin', '2026-11-13T08:00:00Z', 2), [
      '2026-11-16T08:00',
      '2026-11-17T08:00',
    ]);
    assert.deepEqual(times('@hourly', 'UTC', '2026-11-13T08:00:00Z', 1), ['2026-11-13T09:00']);
  });

  test('moves a time that daylight saving skips to right after the change, so that each day has one run', () => {
    assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3), [
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  test('returns a time that occurs twice when daylight saving ends only once', () => {
    assert.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3), [
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  test('returns no time for a day that never occurs', () => {
    assert.deepEqual(times('0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z', 1), []);
  });

  test('throws `job-invalid` with the reason and an example for seconds, dates, words and numbers out of range', () => {
    for (const wrong of [
      '',
      'nonsense',
      '* * * * * *',
      '2026-12-01T00:00:00',
      '61 * * * *',
      '*/0 * * * *',
      '@reboot',
      '*'.repeat(1000),
    ])
      assert.throws(
        () => parseCron(wrong, 'UTC'),
        (error) =>
          error instanceof SignalboxError &&
          error.code === 'job-invalid' &&
          /"0 9 \* \* 1-5"/.test(error.message) &&
          error.message.length < 400,
        wrong,
      );
    assert.throws(() => parseCron('61 * * * *', 'UTC'), /Invalid value for minute: 61/);
    assert.throws(() => parseCron('0 9 * * *', 'Mars/Base'), /"Mars\/Base" is not a valid time zone.*"Europe\/Berlin"/);
  });
});
