import type { TestContext } from 'node:test';
import { runSeed } from './seeded.ts';

/**
 * Processor time in milliseconds of one turn of the event loop that counts as a freeze. Refusing hostile input takes a tenth of it;
 * the attacks that these tests repeat froze a process for seconds.
 */
export const freezeMs = 500;

/** Whether the fault tests run in their full size (`npm run faults`) or in the short form that `npm test` has. */
export function isFull(): boolean {
  return process.env['SIGNALBOX_FAULTS'] === 'full';
}

/** What a scenario has shown: a row of the table at the end of `npm run faults`. */
export interface Shown {
  readonly scenario: string;
  readonly rounds?: number;
  readonly acknowledged?: number;
  readonly lost?: number;
  /** Effects that happened twice, or without a record. */
  readonly duplicates?: number;
  readonly unknown?: number;
  /** How long a caller waited at most for an error. */
  readonly longestErrorMs?: number;
  /** From the end of the fault until calls ran again as before. */
  readonly recoveryMs?: number;
  readonly note?: string;
}

const mark = 'shown ';

/** Puts a row into the table. */
export function show(t: TestContext, shown: Shown): void {
  t.diagnostic(`seed ${runSeed}`);
  t.diagnostic(mark + JSON.stringify(shown));
}

const columns: readonly (readonly [title: string, cell: (shown: Shown) => string])[] = [
  ['scenario', ({ scenario }) => scenario],
  ['rounds', ({ rounds }) => text(rounds)],
  ['acknowledged', ({ acknowledged }) => text(acknowledged)],
  ['lost', ({ lost }) => text(lost)],
  ['duplicate effects', ({ duplicates }) => text(duplicates)],
  ['unknown', ({ unknown }) => text(unknown)],
  ['longest error', ({ longestErrorMs }) => seconds(longestErrorMs)],
  ['recovery', ({ recoveryMs }) => seconds(recoveryMs)],
  ['', ({ note = '' }) => note],
];

/** The table of what was shown, from what the tests said. */
export function tableOfShown(diagnostics: readonly string[]): string {
  const rows = diagnostics
    .filter((line) => line.startsWith(mark))
    .map((line) => JSON.parse(line.slice(mark.length)) as Shown)
    .toSorted((one, other) => one.scenario.localeCompare(other.scenario))
    .map((shown) => columns.map(([, cell]) => cell(shown)));
  const lines = [columns.map(([title]) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        // Numbers stand under each other by their last digit, texts by their first letter.
        .map((cell, index) => (isText(index) ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function isText(index: number): boolean {
  return index === 0 || index === columns.length - 1;
}

function text(value: number | undefined): string {
  return value === undefined ? '' : value.toLocaleString('en');
}

function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `${(milliseconds / 1000).toFixed(1)} s`;
}
