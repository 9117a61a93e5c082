import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure, Results } from './results.ts';

const documents = join(import.meta.dirname, '..', '..', 'docs');

/** The directory of the charts for the document. */
export const imageDirectory = join(documents, 'images', 'bench');

/** Returns the file names of the charts in the document. */
export function documentCharts(): readonly string[] {
  const text = readFileSync(join(documents, 'performance.md'), 'utf8');
  return [...text.matchAll(/\(images\/bench\/([^)]+)\)/g)].map(([, file = '']) => file);
}

/** Returns the content of each chart of the document that the results provide, by file name. */
export function chartFiles(results: Results): Readonly<Record<string, string>> {
  const inDocument = new Set(documentCharts());
  return Object.fromEntries(
    Object.entries(results)
      .flatMap(([name, { figures }]) =>
        figures.map((figure) => ({ file: `${name}-${slug(figure.title)}.svg`, figure })),
      )
      .filter(({ file }) => inDocument.has(file))
      .map(({ file, figure }) => [file, drawChart(figure)]),
  );
}

/** Replaces all charts of the document. */
export function writeCharts(results: Results): void {
  rmSync(imageDirectory, { recursive: true, force: true });
  mkdirSync(imageDirectory, { recursive: true });
  for (const [file, text] of Object.entries(chartFiles(results))) writeFileSync(join(imageDirectory, file), text);
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const [width, lineHeight, top] = [760, 26, 46];
/** The minimum width of the labels, and the average maximum width of a character. */
const [minLabelWidth, letterWidth] = [250, 7.6];

/** Returns an SVG with horizontal bars and their spread, for light and dark pages. Highlights the bars of Signalbox. */
export function drawChart({ title, unit, isMoreBetter, bars }: Figure): string {
  const labelWidth = Math.ceil(Math.max(minLabelWidth, ...bars.map(({ name }) => name.length * letterWidth)));
  const maxBarWidth = width - labelWidth - 150;
  const maxValue = Math.max(...bars.map(({ value, spread }) => Math.max(value, spread?.[1] ?? 0)));
  const scale = (value: number): number => (maxValue === 0 ? 0 : (value / maxValue) * maxBarWidth);
  const lines = bars.map(({ name, value, spread }, index) => {
    const y = top + index * lineHeight;
    const isOurs = name.startsWith('Signalbox');
    const left = labelWidth + 10;
    const spreadLine =
      spread === undefined
        ? ''
        : `<path class="spread" d="M${coordinate(left + scale(spread[0]))} ${y + 10}H${coordinate(left + scale(spread[1]))}"/>`;
    const end = Math.max(scale(value), scale(spread?.[1] ?? 0));
    return [
      `<text x="${labelWidth}" y="${y + 14}" text-anchor="end"${isOurs ? ' class="ours"' : ''}>${escaped(name)}</text>`,
      `<rect x="${left}" y="${y}" width="${coordinate(scale(value))}" height="20" rx="2"${isOurs ? ' class="ours"' : ''}/>`,
      spreadLine,
      `<text x="${coordinate(left + end + 6)}" y="${y + 14}">${formatValue(value)}</text>`,
    ].join('');
  });
  const height = top + bars.length * lineHeight + 8;
  const legend = `${unit}, ${isMoreBetter ? 'more' : 'less'} is better`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600 } .unit { fill: #666; font-size: 12px } text.ours { font-weight: 600 }
rect { fill: #a8b3c2 } rect.ours { fill: #2563eb } .spread { stroke: #333; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .unit { fill: #aaa } rect { fill: #5b6675 } rect.ours { fill: #60a5fa } .spread { stroke: #ddd } }
</style>
<text x="10" y="18" class="title">${escaped(title)}</text><text x="10" y="35" class="unit">${escaped(legend)}</text>
${lines.join('\n')}
</svg>
`;
}

function coordinate(position: number): string {
  return position.toFixed(1);
}

function formatValue(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
