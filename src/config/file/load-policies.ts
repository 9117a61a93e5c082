import { readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import type { PolicyDocument } from '../../policy/rules/read-policies.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Configuration, PolicyFile } from '../configuration.ts';
import { checked } from './policy-file.ts';

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
  return checked(() => parsePolicyText(text, name, path));
}
