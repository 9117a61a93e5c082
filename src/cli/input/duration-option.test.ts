import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, parseSince } from './duration-option.ts';

test('parseDuration accepts a number with a unit', () => {
  assert.equal(parseDuration('500ms'), 500);
  assert.equal(parseDuration('90s'), 90_000);
  assert.equal(parseDuration('15m'), 900_000);
  assert.equal(parseDuration('1h'), 3_600_000);
  assert.equal(parseDuration('7d'), 604_800_000);
  assert.equal(parseDuration('1.5h'), 5_400_000);
});

test('parseDuration and parseSince reject any other text and list the valid forms', () => {
  for (const text of ['', '5', 's', '-5s', '5 s', '5y', '1h30m', 'Infinitys', '__proto__', '5constructor']) {
    assert.throws(() => parseDuration(text), /500ms, 90s, 15m, 1h, 7d/, text);
    assert.throws(() => parseSince(text), /or a date/, text);
  }
});

test('parseSince accepts an age or a date, which is local time without a time zone', () => {
  assert.equal(parseSince('1h', 10_000_000), 6_400_000);
  assert.equal(parseSince('2026-08-31T12:00:00Z'), Date.UTC(2026, 7, 31, 12));
  assert.equal(parseSince('2026-08-31T12:00:00+02:00'), Date.UTC(2026, 7, 31, 10));
  assert.equal(parseSince('2026-08-31'), new Date(2026, 7, 31).getTime());
  assert.equal(parseSince('2026-08-31T12:30'), new Date(2026, 7, 31, 12, 30).getTime());
  assert.throws(() => parseSince('2026-13-31'), /not a valid date/);
});
