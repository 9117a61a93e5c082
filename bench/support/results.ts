import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One bar of a figure: what was measured, in the middle of the rounds, and its lowest and highest. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly spread?: readonly [number, number];
}

/** Some things that were measured side by side. */
export interface Figure {
  readonly title: string;
  readonly unit: string;
  readonly isMoreBetter: boolean;
  readonly bars: readonly Bar[];
}

/** What benchmarks measured last, by name, each with when and on what. */
export type Results = Readonly<
  Record<string, { readonly at: string; readonly machine: string; readonly figures: readonly Figure[] }>
>;

/** Where results are kept when a benchmark is run by `npm run bench`; alone, it only prints. */
export const resultsFile = join(import.meta.dirname, '..', 'results.json');
const wanted = 'SIGNALBOX_BENCH';

/** Has what the benchmark of that name measures set down. */
export function resultsOf(name: string, machine: string): NodeJS.ProcessEnv {
  return { ...process.env, [wanted]: JSON.stringify({ name, machine }) };
}

const figures: Figure[] = [];

/** Sets a figure down, if results are wanted. */
export function keepFigure(figure: Figure): void {
  const named = process.env[wanted];
  if (named === undefined) return;
  figures.push(figure);
  const { name, machine } = JSON.parse(named) as { name: string; machine: string };
  const results = { ...readResults(), [name]: { at: new Date().toISOString().slice(0, 10), machine, figures } };
  const sorted = Object.fromEntries(Object.entries(results).toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(resultsFile, `${JSON.stringify(sorted, rounded, 2)}\n`);
}

/** What was measured last. */
export function readResults(file = resultsFile): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } catch {
    return {};
  }
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
