import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.ts';
import type { Results } from './results.ts';

const documents = join(import.meta.dirname, '..', '..', 'docs');

/** The directory of the charts for the document. */
export const imageDirectory = join(documents, 'images', 'bench');

/** Returns the file names of the charts in the document. */
export function shownCharts(): readonly string[] {
  const text = readFileSync(join(documents, 'performance.md'), 'utf8');
  return [...text.matchAll(/\(images\/bench\/([^)]+)\)/g)].map(([, file = '']) => file);
}

/** Returns the content of each chart of the document that the results provide, by file name. */
export function chartFiles(results: Results): Readonly<Record<string, string>> {
  const shown = new Set(shownCharts());
  return Object.fromEntries(
    Object.entries(results)
      .flatMap(([name, { figures }]) =>
        figures.map((figure) => ({ file: `${name}-${slug(figure.title)}.svg`, figure })),
      )
      .filter(({ file }) => shown.has(file))
      .map(({ file, figure }) => [file, chart(figure)]),
  );
}

/** Replaces all charts. */
export function drawCharts(results: Results): void {
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
