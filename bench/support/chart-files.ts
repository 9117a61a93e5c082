import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart.ts';
import type { Results } from './results.ts';

/** Where the charts are, for the documents. */
export const imageDirectory = join(import.meta.dirname, '..', '..', 'docs', 'images', 'bench');

/** The charts of some results: the name of each file, and what is in it. */
export function chartFiles(results: Results): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(results).flatMap(([name, { figures }]) =>
      figures.map((figure) => [`${name}-${slug(figure.title)}.svg`, chart(figure)]),
    ),
  );
}

/** Draws all charts anew. */
export function drawCharts(results: Results): void {
  mkdirSync(imageDirectory, { recursive: true });
  for (const [file, text] of Object.entries(chartFiles(results))) writeFileSync(join(imageDirectory, file), text);
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
