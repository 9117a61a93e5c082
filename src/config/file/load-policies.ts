import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import { PolicyError } from '../../policy/rules/policy-error.ts';
import { type PolicyDocument, readPolicies } from '../../policy/rules/read-policies.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Configuration } from '../configuration.ts';
import { readTextFile } from './configuration-files.ts';

/** Reads the policies of a configuration. Throws a `ConfigurationError` with all of their problems. */
export function loadPolicies({ policies }: Pick<Configuration, 'policies'>): readonly PolicyDocument[] {
  if (policies === undefined) return [];
  const text = 'value' in policies ? undefined : readTextFile(policies.path);
  try {
    const document = 'value' in policies ? policies : parsePolicyText(text ?? '', policies.name, policies.path);
    readPolicies([document]);
    return [document];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new ConfigurationError('configuration-invalid', error.problems, { cause: error });
  }
}
