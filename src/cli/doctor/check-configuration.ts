import { ConfigurationError } from '../../config/configuration-error.ts';
import type { Configuration } from '../../config/configuration.ts';
import { loadPolicies } from '../../config/load-policies.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import { Failure } from '../fail.ts';
import { type Globals, shortPath } from '../globals.ts';
import { readConfiguration } from '../read-configuration.ts';
import { shownProblem } from '../report-failure.ts';
import type { Finding } from './finding.ts';

/** Reads the configuration; each problem is a finding with its place. Without a usable one, the servers cannot be looked at. */
export function checkConfiguration(globals: Globals): {
  readonly findings: Finding[];
  readonly configuration?: Configuration;
} {
  try {
    const { configuration, file } = readConfiguration(globals);
    readLock(configuration.directory);
    loadPolicies(configuration);
    const what = file === undefined ? 'no configuration file; the defaults hold' : `configuration ${shortPath(file)}`;
    const warnings = configuration.warnings.map((warning): Finding => ({
      level: 'warning',
      what: warning,
      fix: `change it in ${shortPath(configuration.file)}`,
    }));
    return { findings: [{ level: 'ok', what }, ...warnings], configuration };
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return {
        findings: error.problems.map(({ hint = 'correct this line', ...problem }) => ({
          level: 'error',
          what: shownProblem(problem),
          fix: hint,
        })),
      };
    }
    if (error instanceof Failure)
      return { findings: [{ level: 'error', what: error.message, fix: error.details.next ?? '' }] };
    throw error;
  }
}
