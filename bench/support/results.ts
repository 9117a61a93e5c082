import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One bar of a figure: the median over the rounds, and its spread. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly spread?: readonly [number, number];
}

/** A comparison of measured values. */
export interface Figure {
  readonly title: string;
  readonly unit: string;
  readonly isMoreBetter: boolean;
  readonly bars: readonly Bar[];
}

/** The latest results of the benchmarks, by name, each with its date and machine. */
export type Results = Readonly<
  Record<string, { readonly at: string; readonly machine: string; readonly figures: readonly Figure[] }>
>;

/** The results file of `npm run bench`. A benchmark that is started directly only prints its results. */
export const resultsFile = join(import.meta.dirname, '..', 'results.json');
const benchVariable = 'SIGNALBOX_BENCH';

/** Returns an environment in which the benchmark with this name stores its results. */
export function environmentFor(name: string, machine: string): NodeJS.ProcessEnv {
  return { ...process.env, [benchVariable]: JSON.stringify({ name, machine }) };
}

const figures: Figure[] = [];

/** Stores a figure, if the benchmark was started by `npm run bench`. */
export function storeFigure(figure: Figure): void {
  const named = process.env[benchVariable];
  if (named === undefined) return;
  figures.push(figure);
  const { name, machine } = JSON.parse(named) as { name: string; machine: string };
  const results = { ...readResults(), [name]: { at: new Date().toISOString().slice(0, 10), machine, figures } };
  const sorted = Object.fromEntries(Object.entries(results).toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(resultsFile, `${JSON.stringify(sorted, rounded, 2)}\n`);
}

/** Reads the latest results. */
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
