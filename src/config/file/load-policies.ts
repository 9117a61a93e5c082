import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import { PolicyError } from '../../policy/rules/policy-error.ts';
import { type PolicyDocument, readPolicies } from '../../policy/rules/read-policies.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Configuration, PolicyFile } from '../configuration.ts';
import { readTextFile } from './configuration-files.ts';

/** Reads the policies of a configuration. Throws a `ConfigurationError` with all of their problems. */
export function loadPolicies({ policies }: Configuration): readonly PolicyDocument[] {
  if (policies === undefined) return [];
  return 'value' in policies ? validated(() => policies) : loadPolicyFile(policies);
}

/** Reads a policy file. Throws like `loadPolicies`. */
export function loadPolicyFile({ path, name }: PolicyFile): readonly PolicyDocument[] {
  const text = readTextFile(path);
  return validated(() => parsePolicyText(text, name, path));
}

function validated(make: () => PolicyDocument): readonly PolicyDocument[] {
  try {
    const document = make();
    readPolicies([document]);
    return [document];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new ConfigurationError('configuration-invalid', error.problems, { cause: error });
  }
}
