import { resolve } from 'node:path';
import { ConfigurationError } from '../../../config/configuration-error.ts';
import { loadPolicies } from '../../../config/file/load-policies.ts';
import type { PolicyDocument } from '../../../policy/rules/read-policies.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { readConfiguration } from '../../../host/read-configuration.ts';
import { formatProblem } from '../../report-error.ts';

/** Loads the rules of a file or of the configuration. Throws an error that lists every mistake in them. */
export function loadPolicyDocuments(file: string | undefined, globals: GlobalOptions): readonly PolicyDocument[] {
  const policies =
    file === undefined ? readConfiguration(globals).configuration.policies : { path: resolve(file), name: file };
  try {
    return loadPolicies({ policies });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { problems, code } = error;
    const isUnreadable = code === 'configuration-unreadable';
    const what = isUnreadable
      ? 'the policy file cannot be read'
      : `the rules have ${pluralize(problems.length, 'mistake')}`;
    throw new CliError(2, isUnreadable ? 'file-unreadable' : 'policy-invalid', what, {
      lines: problems.map(formatProblem),
      data: { problems },
      next: isUnreadable ? 'correct its name, or its permissions' : 'correct the rules, then run the command again',
      cause: error,
    });
  }
}
