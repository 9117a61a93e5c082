import { relative } from 'node:path';
import { findConsole } from '../../src/host/daemon/console-build.ts';
import { messageOf } from '../../src/core/errors.ts';
import { builtLauncher } from './built-package.ts';
import { root } from './command.ts';
import type { Report } from './report.ts';

/** Builds the console and, for end-to-end tests, the installed command once, so that no test has to build them. */
export async function buildOnce(report: Report, tests: readonly string[]): Promise<void> {
  const { building } = findConsole();
  try {
    if (building !== undefined) report.line(true, 'console built', await building);
    if (tests.some((path) => /^(?:test|bench)\b/.test(relative(root, path)))) builtLauncher();
  } catch (error) {
    report.check(false, 'console and package built', 0, '', messageOf(error));
  }
}
