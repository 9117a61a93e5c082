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
import { type Finding, ok, problem, warning } from './finding.ts';

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
    const warnings = configuration.warnings.map((each) =>
      warning(each, `change it in ${shortPath(configuration.file)}`),
    );
    return { findings: [ok(what), ...warnings], configuration };
  } catch (error) {
    return { findings: findingsOf(error) };
  }
}

function findingsOf(error: unknown): Finding[] {
  if (error instanceof ConfigurationError)
    return error.problems.map(({ hint = 'correct this line', ...each }) => problem(formatProblem(each), hint));
  if (error instanceof UntrustedConfigurationError) {
    const what = `${error.message}, so its servers, agents, secrets and store were not checked`;
    return [problem(what, trustCommand(error))];
  }
  if (error instanceof CliError) return [problem(error.message, error.details.next ?? '')];
  throw error;
}
