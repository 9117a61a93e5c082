import type { Figure } from './results.ts';

const [width, line, top] = [760, 26, 46];
/** The minimum width of the labels, and the average maximum width of a character. */
const [minLabelWidth, letterWidth] = [250, 7.6];

/** Draws a figure as horizontal bars with their spread. Highlights Signalbox. Readable on light and dark pages. */
export function chart({ title, unit, isMoreBetter, bars }: Figure): string {
  const labels = Math.ceil(Math.max(minLabelWidth, ...bars.map(({ name }) => name.length * letterWidth)));
  const room = width - labels - 150;
  const longest = Math.max(...bars.map(({ value, spread }) => Math.max(value, spread?.[1] ?? 0)));
  const scale = (value: number): number => (longest === 0 ? 0 : (value / longest) * room);
  const drawn = bars.map(({ name, value, spread }, index) => {
    const y = top + index * line;
    const isOurs = name.startsWith('Signalbox');
    const from = labels + 10;
    const range =
      spread === undefined
        ? ''
        : `<path class="spread" d="M${at(from + scale(spread[0]))} ${y + 10}H${at(from + scale(spread[1]))}"/>`;
    const end = Math.max(scale(value), scale(spread?.[1] ?? 0));
    return [
      `<text x="${labels}" y="${y + 14}" text-anchor="end"${isOurs ? ' class="ours"' : ''}>${escaped(name)}</text>`,
      `<rect x="${from}" y="${y}" width="${at(scale(value))}" height="20" rx="2"${isOurs ? ' class="ours"' : ''}/>`,
      range,
      `<text x="${at(from + end + 6)}" y="${y + 14}">${shown(value)}</text>`,
    ].join('');
  });
  const height = top + bars.length * line + 8;
  const better = `${unit}, ${isMoreBetter ? 'more' : 'less'} is better`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #333 } .title { font-weight: 600 } .unit { fill: #666; font-size: 12px } text.ours { font-weight: 600 }
rect { fill: #a8b3c2 } rect.ours { fill: #2563eb } .spread { stroke: #333; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .unit { fill: #aaa } rect { fill: #5b6675 } rect.ours { fill: #60a5fa } .spread { stroke: #ddd } }
</style>
<text x="10" y="18" class="title">${escaped(title)}</text><text x="10" y="35" class="unit">${escaped(better)}</text>
${drawn.join('\n')}
</svg>
`;
}

function at(position: number): string {
  return position.toFixed(1);
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
