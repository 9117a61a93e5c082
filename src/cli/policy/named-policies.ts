import { resolve } from 'node:path';
import { loadPolicies, loadPolicyFile } from '../../config/load-policies.ts';
import type { PolicyDocument } from '../../policy/read-policy.ts';
import type { Globals } from '../globals.ts';
import { readConfiguration } from '../read-configuration.ts';

/** The policies of a file, or those of the configuration. */
export function namedPolicies(file: string | undefined, globals: Globals): readonly PolicyDocument[] {
  if (file !== undefined) return loadPolicyFile({ path: resolve(file), name: file });
  return loadPolicies(readConfiguration(globals).configuration);
}
