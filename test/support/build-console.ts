import { findConsole } from '../../src/cli/serve/console-build.ts';
import type { Report } from './report.ts';

/** Builds the console once, where it is needed, so that no server of a test does it for itself. */
export async function buildConsole(report: Report): Promise<void> {
  const { building } = findConsole();
  if (building === undefined) return;
  try {
    report.line(true, 'console built', await building);
  } catch (error) {
    report.check(false, 'console built', 0, '', (error as Error).message);
  }
}
