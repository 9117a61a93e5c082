import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyError } from '../../policy/rules/policy-error.ts';
import { type PolicyDocument, readPolicies } from '../../policy/rules/read-policies.ts';
import { ConfigurationError } from '../configuration-error.ts';
import type { Configuration, PolicyFile } from '../configuration.ts';

/** A file of rules as it is now. */
export interface PolicyFileText {
  readonly file: string;
  readonly text: string;
  /** Changes whenever the text does. */
  readonly fingerprint: string;
}

/** Where rules are kept that are to be kept in a file of their own. */
export const defaultPolicyFile = 'policies.yaml';

/** The file that a configuration has its rules in, also one that is to be made; none where they stand in the configuration. */
export function policyFileText({ policies, directory }: Configuration): PolicyFileText | undefined {
  const file = policyFileOf(policies, directory);
  if (file === undefined) return undefined;
  const text = existsSync(file.path) ? readFileSync(file.path, 'utf8') : '';
  return { file: file.path, text, fingerprint: fingerprintOf(text) };
}

/** The file itself. */
export function policyFileOf(policies: Configuration['policies'], directory: string): PolicyFile | undefined {
  if (policies === undefined) return { path: join(directory, defaultPolicyFile), name: defaultPolicyFile };
  return 'value' in policies ? undefined : policies;
}

function fingerprintOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

export function checked(make: () => PolicyDocument): readonly PolicyDocument[] {
  try {
    const document = make();
    readPolicies([document]);
    return [document];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new ConfigurationError('configuration-invalid', error.problems, { cause: error });
  }
}
