import type { TestContext } from 'node:test';
import { runSeed } from './seeded.ts';

/**
 * Processor time in milliseconds of one turn of the event loop that counts as a freeze. Rejecting hostile input takes a tenth of
 * it; the attacks in these tests used to block a process for seconds.
 */
export const freezeMs = 500;

/** Returns whether the fault tests run in full (`npm run faults`) or in the short form of `npm test`. */
export function isFull(): boolean {
  return process.env['SIGNALBOX_FAULTS'] === 'full';
}

/** The result of a scenario: a row of the table at the end of `npm run faults`. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly rounds?: number;
  readonly acknowledged?: number;
  readonly lost?: number;
  /** The number of effects that happened twice, or without a record. */
  readonly duplicates?: number;
  readonly unknown?: number;
  /** The maximum time that a caller waited for an error. */
  readonly longestErrorMs?: number;
  /** The time from the end of the fault until calls worked again. */
  readonly recoveryMs?: number;
  readonly note?: string;
}

const prefix = 'shown ';

/** Adds a row to the table. */
export function reportScenario(t: TestContext, result: ScenarioResult): void {
  t.diagnostic(`seed ${runSeed}`);
  t.diagnostic(prefix + JSON.stringify(result));
}

const columns: readonly (readonly [title: string, cell: (result: ScenarioResult) => string])[] = [
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

/** Builds the table from the diagnostics of the tests. */
export function scenarioTable(diagnostics: readonly string[]): string {
  const rows = diagnostics
    .filter((line) => line.startsWith(prefix))
    .map((line) => JSON.parse(line.slice(prefix.length)) as ScenarioResult)
    .toSorted((one, other) => one.scenario.localeCompare(other.scenario))
    .map((result) => columns.map(([, cell]) => cell(result)));
  const lines = [columns.map(([title]) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        // Numbers are right-aligned, texts left-aligned.
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
