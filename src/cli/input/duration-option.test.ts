import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration, parseSince } from './duration-option.ts';

test('a duration is a number with a unit', () => {
  assert.equal(parseDuration('500ms'), 500);
  assert.equal(parseDuration('90s'), 90_000);
  assert.equal(parseDuration('15m'), 900_000);
  assert.equal(parseDuration('1h'), 3_600_000);
  assert.equal(parseDuration('7d'), 604_800_000);
  assert.equal(parseDuration('1.5h'), 5_400_000);
});

test('anything else is refused with the forms there are', () => {
  for (const text of ['', '5', 's', '-5s', '5 s', '5y', '1h30m', 'Infinitys', '__proto__', '5constructor']) {
    assert.throws(() => parseDuration(text), /500ms, 90s, 15m, 1h, 7d/, text);
    assert.throws(() => parseSince(text), /or a date/, text);
  }
});

test('since is so long ago, or a moment; without a time zone it is local time', () => {
  assert.equal(parseSince('1h', 10_000_000), 6_400_000);
  assert.equal(parseSince('2026-08-31T12:00:00Z'), Date.UTC(2026, 7, 31, 12));
  assert.equal(parseSince('2026-08-31T12:00:00+02:00'), Date.UTC(2026, 7, 31, 10));
  assert.equal(parseSince('2026-08-31'), new Date(2026, 7, 31).getTime());
  assert.equal(parseSince('2026-08-31T12:30'), new Date(2026, 7, 31, 12, 30).getTime());
  assert.throws(() => parseSince('2026-13-31'), /not a valid date/);
});

test('durations are told in the unit people would use', () => {
  const told = [0.03, 0.34, 9.94, 12.4, 999.4, 1234, 59_940, 61_000, 3_599_000, 7_380_000].map(formatDuration);
  assert.deepEqual(told, [
    '0 ms',
    '0.3 ms',
    '9.9 ms',
    '12 ms',
    '999 ms',
    '1.2 s',
    '59.9 s',
    '1 min 1 s',
    '59 min 59 s',
    '2 h 3 min',
  ]);
});
