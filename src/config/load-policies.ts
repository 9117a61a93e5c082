import { readFileSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { PolicyError } from '../policy/policy-error.ts';
import { policyText } from '../policy/policy-text.ts';
import { type PolicyDocument, readPolicies } from '../policy/read-policy.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Configuration, PolicyFile } from './configuration.ts';

/** Reads the policies of a configuration. Throws a `ConfigurationError` that tells everything that is wrong with them. */
export function loadPolicies({ policies }: Configuration): readonly PolicyDocument[] {
  if (policies === undefined) return [];
  return 'value' in policies ? checked(() => policies) : loadPolicyFile(policies);
}

/** Reads a file of rules. Throws like `loadPolicies`. */
export function loadPolicyFile({ path, name }: PolicyFile): readonly PolicyDocument[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const problem = { file: path, line: 0, column: 0, path: '', message: `cannot be read: ${messageOf(error)}` };
    throw new ConfigurationError('configuration-unreadable', [problem], { cause: error });
  }
  return checked(() => policyText(text, name, path));
}

function checked(make: () => PolicyDocument): readonly PolicyDocument[] {
  try {
    const document = make();
    readPolicies([document]);
    return [document];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new ConfigurationError('configuration-invalid', error.problems, { cause: error });
  }
}
