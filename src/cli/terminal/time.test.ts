import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from './time.ts';

test('formatDuration uses the largest suitable unit', () => {
  const formatted = [0.03, 0.34, 9.94, 12.4, 999.4, 1234, 59_940, 61_000, 3_599_000, 7_380_000].map(formatDuration);
  assert.deepEqual(formatted, [
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
