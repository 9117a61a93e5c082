import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration, PolicyFile } from '../configuration.ts';

/** The current content of a policy file. */
export interface PolicyFileText {
  readonly file: string;
  readonly text: string;
  /** Changes whenever the text does. */
  readonly fingerprint: string;
}

/** The name of a new policy file. */
export const defaultPolicyFile = 'policies.yaml';

/** Reads the policy file of a configuration, which may not exist yet. Returns `undefined` when the configuration contains the rules. */
export function policyFileText({ policies, directory }: Configuration): PolicyFileText | undefined {
  const file = policyFileOf(policies, directory);
  if (file === undefined) return undefined;
  const text = existsSync(file.path) ? readFileSync(file.path, 'utf8') : '';
  return { file: file.path, text, fingerprint: fingerprintOf(text) };
}

/** Returns the policy file of a configuration, which may not exist yet. Returns `undefined` when the configuration contains the rules. */
export function policyFileOf(policies: Configuration['policies'], directory: string): PolicyFile | undefined {
  if (policies === undefined) return { path: join(directory, defaultPolicyFile), name: defaultPolicyFile };
  return 'value' in policies ? undefined : policies;
}

function fingerprintOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}
