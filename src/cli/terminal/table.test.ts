import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import pc from 'picocolors';
import { type Column, Table, shorten, textWidth } from './table.ts';

const colors = pc.createColors(false);
type Row = readonly string[];

/** Returns columns that show the cells of a row in their order. */
function columnsOf(...columns: readonly Omit<Column<Row>, 'cell'>[]): Column<Row>[] {
  return columns.map((column, index) => ({ ...column, cell: (row) => row[index] ?? '' }));
}

function createTable(columns: readonly Column<Row>[], rows: readonly Row[], width: number | undefined): Table<Row> {
  return new Table(columns, rows, { width, colors });
}

const columns = columnsOf({ heading: 'NAME' }, { heading: 'COUNT', align: 'right' }, { heading: 'TEXT' });

suite('Table', () => {
  test('aligns columns, numbers to the right, without trailing spaces', () => {
    const rows = [
      ['a', '5', 'first'],
      ['longer', '12345', ''],
    ];
    const table = createTable(columns, rows, undefined);
    assert.deepEqual(
      [table.heading(), ...rows.map((row) => table.row(row))],
      ['NAME    COUNT  TEXT', 'a           5  first', 'longer  12345'],
    );
  });

  test('shortens the last column to the remaining width', () => {
    const row = ['a', '1', 'x'.repeat(50)];
    const line = createTable(columns, [row], 40).row(row);
    assert.equal(textWidth(line), 40);
    assert.ok(line.endsWith('x…'));
  });

  test('continues the last column on one more line when there is too little room', () => {
    const row = ['a'.repeat(40), '1', 'x'.repeat(500)];
    assert.equal(textWidth(createTable(columns, [row], 50).row(row)), 100);
  });

  test('omits optional columns in a narrow terminal, from the last to the first, and none in a pipe', () => {
    const wide = columnsOf(
      { heading: 'ID' },
      { heading: 'BY', optional: true },
      { heading: 'AT', optional: true },
      { heading: 'ARGUMENTS' },
    );
    const row = ['call', 'somebody', '2026-11-15', 'x'.repeat(50)];
    const headingAt = (width: number | undefined): string => createTable(wide, [row], width).heading();
    assert.equal(headingAt(undefined), 'ID    BY        AT          ARGUMENTS');
    assert.equal(headingAt(44), 'ID    BY        AT          ARGUMENTS');
    assert.equal(headingAt(43), 'ID    BY        ARGUMENTS');
    assert.equal(headingAt(24), 'ID    ARGUMENTS');
    assert.equal(textWidth(createTable(wide, [row], 24).row(row)), 24);
  });

  test('counts no width for colors, and two cells for wide characters', () => {
    assert.equal(textWidth('\u001b[32mread\u001b[39m'), 4);
    assert.equal(textWidth('日本'), 4);
    assert.equal(textWidth('é'), 1);
    const colored = ['\u001b[32mread\u001b[39m', 'x'];
    const wide = ['日本語', 'x'];
    const table = createTable(columnsOf({ heading: 'A' }, { heading: 'B' }), [colored, wide], undefined);
    assert.equal(textWidth(table.row(colored)), textWidth(table.row(wide)));
  });
});

test('shorten never cuts a character', () => {
  assert.equal(shorten('👩‍👩‍👧‍👦'.repeat(20), 11), `${'👩‍👩‍👧‍👦'.repeat(5)}…`);
});
