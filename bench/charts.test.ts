import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chartFiles, documentCharts, drawChart, imageDirectory } from './support/charts.ts';
import { readResults } from './support/results.ts';

describe('charts of docs/performance.md', () => {
  test('match bench/results.json (npm run bench writes them)', () => {
    const charts = chartFiles(readResults());
    assert.deepEqual(Object.keys(charts).toSorted(), documentCharts().toSorted());
    assert.deepEqual(readdirSync(imageDirectory).toSorted(), Object.keys(charts).toSorted());
    for (const [file, text] of Object.entries(charts))
      assert.equal(readFileSync(join(imageDirectory, file), 'utf8'), text, file);
  });

  test('have space for the longest name', () => {
    const [name, other] = ['shadow git repository (add -A, write-tree)', 'Signalbox'];
    const svg = drawChart({
      title: 'Undo',
      unit: 'ms',
      isMoreBetter: false,
      bars: [
        { name, value: 2 },
        { name: other, value: 1 },
      ],
    });
    const [, end] = /<text x="(\d+)" [^>]*text-anchor="end"/.exec(svg) ?? [];
    assert.ok(Number(end) > name.length * 7, `${end}`);
  });

  test('have bars in proportion to the values, and escape names', () => {
    const bars = [
      { name: 'Signalbox', value: 10, spread: [8, 20] as const },
      { name: '<b>"peer" & co', value: 5 },
    ];
    const svg = drawChart({ title: 'Calls', unit: 'calls/s', isMoreBetter: true, bars });
    const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, each]) => Number(each));
    assert.equal((widths[0] ?? 0) / (widths[1] ?? 0), 2);
    assert.match(svg, /&lt;b&gt;&quot;peer&quot; &amp; co/);
    assert.doesNotMatch(svg, /<b>/);
  });
});
