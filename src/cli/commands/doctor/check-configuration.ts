import { ConfigurationError } from '../../../config/configuration-error.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { readLock } from '../../../config/lock/lock-file.ts';
import { UntrustedConfigurationError } from '../../../config/trust/untrusted-error.ts';
import { CliError } from '../../cli-error.ts';
import { type GlobalOptions } from '../../command-context.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { readConfiguration } from '../../../host/read-configuration.ts';
import { assertTrusted } from '../../../host/open-trust.ts';
import { formatProblem } from '../../report-error.ts';
import { trustCommand } from '../../untrusted-configuration.ts';
import type { Finding } from './finding.ts';

/** Reads the configuration, with a finding for each problem. Returns a configuration only when it is valid and trusted. */
export async function checkConfiguration(globals: GlobalOptions): Promise<{
  readonly findings: Finding[];
  readonly configuration?: Configuration;
}> {
  try {
    const { configuration, file } = readConfiguration(globals);
    readLock(configuration.directory);
    await assertTrusted(configuration, globals.data);
    const what = file === undefined ? 'no configuration file; the defaults apply' : `configuration ${shortPath(file)}`;
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
          what: formatProblem(problem),
          fix: hint,
        })),
      };
    }
    if (error instanceof UntrustedConfigurationError)
      return {
        findings: [
          {
            level: 'error',
            what: `${error.message}, so its servers, agents, secrets and store were not checked`,
            fix: trustCommand(error),
          },
        ],
      };
    if (error instanceof CliError)
      return { findings: [{ level: 'error', what: error.message, fix: error.details.next ?? '' }] };
    throw error;
  }
}
