import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table, shorten, textWidth } from './table.ts';

const columns = [{ heading: 'NAME' }, { heading: 'COUNT', align: 'right' as const }, { heading: 'TEXT' }];

test('columns line up, numbers on the right, nothing after the last word', () => {
  const rows = [
    ['a', '5', 'first'],
    ['longer', '12345', ''],
  ];
  const table = new Table(columns, rows, undefined);
  assert.deepEqual(
    [table.heading(), ...rows.map((row) => table.row(row))],
    ['NAME    COUNT  TEXT', 'a           5  first', 'longer  12345'],
  );
});

test('the last column is shortened to what fits', () => {
  const table = new Table(columns, [['a', '1', 'x'.repeat(50)]], 40);
  const line = table.row(['a', '1', 'x'.repeat(50)]);
  assert.equal(textWidth(line), 40);
  assert.ok(line.endsWith('x…'));
});

test('what does not fit at all takes two lines, not more', () => {
  const row = ['a'.repeat(40), '1', 'x'.repeat(500)];
  assert.equal(textWidth(new Table(columns, [row], 50).row(row)), 100);
});

test('where there is no room, columns are left out that can be, the last one first, and all are there in a pipe', () => {
  const wide = [
    { heading: 'ID' },
    { heading: 'BY', optional: true as const },
    { heading: 'AT', optional: true as const },
    { heading: 'ARGUMENTS' },
  ];
  const row = ['call', 'somebody', '2026-11-15', 'x'.repeat(50)];
  const shown = (width: number | undefined): string => new Table(wide, [row], width).heading();
  assert.equal(shown(undefined), 'ID    BY        AT          ARGUMENTS');
  assert.equal(shown(44), 'ID    BY        AT          ARGUMENTS');
  assert.equal(shown(43), 'ID    BY        ARGUMENTS');
  assert.equal(shown(24), 'ID    ARGUMENTS');
  assert.equal(textWidth(new Table(wide, [row], 24).row(row)), 24);
});

test('colour takes no room, wide characters take two places', () => {
  assert.equal(textWidth('\u001b[32mread\u001b[39m'), 4);
  assert.equal(textWidth('日本'), 4);
  assert.equal(textWidth('é'), 1);
  const table = new Table(
    [{ heading: 'A' }, { heading: 'B' }],
    [
      ['\u001b[32mread\u001b[39m', 'x'],
      ['日本語', 'x'],
    ],
    undefined,
  );
  assert.equal(textWidth(table.row(['\u001b[32mread\u001b[39m', 'x'])), textWidth(table.row(['日本語', 'x'])));
});

test('text is never cut inside a character', () => {
  assert.equal(shorten('👩‍👩‍👧‍👦'.repeat(20), 11), `${'👩‍👩‍👧‍👦'.repeat(5)}…`);
});
