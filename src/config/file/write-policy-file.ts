import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { parsePolicyText } from '../../policy/rules/parse-policy-text.ts';
import { readPolicies } from '../../policy/rules/read-policies.ts';
import type { Configuration } from '../configuration.ts';
import { replaceFile } from './atomic-file.ts';
import { type EditedConfiguration, editConfiguration } from './edit-configuration.ts';
import { policyFileOf, policyFileText, defaultPolicyFile } from './policy-file.ts';

/**
 * Writes the policy file of a configuration, and adds `policies` to the configuration when the file is new. Throws a `PolicyError`
 * for invalid rules, and `file-outdated` when the file does not have the fingerprint `seen`; then writes nothing.
 */
export function writePolicyFile(
  configuration: Configuration,
  text: string,
  seen?: string,
): EditedConfiguration | undefined {
  const { policies, directory } = configuration;
  const file = policyFileOf(policies, directory);
  if (file === undefined)
    throw new SignalboxError(
      'setting-refused',
      `the rules are in ${basename(configuration.file)} itself; to save them, move them to a file and set "policies" to its path`,
    );
  readPolicies([parsePolicyText(text, file.name, file.path)]);
  const now = policyFileText(configuration);
  if (seen !== undefined && seen !== now?.fingerprint)
    throw new SignalboxError('file-outdated', `${file.name} was changed since you read it; read it again`);
  try {
    const exists = existsSync(file.path);
    // Writes to the target of a symbolic link, so that the link is preserved.
    const target = exists ? realpathSync(file.path) : file.path;
    replaceFile(target, text, exists ? statSync(target).mode : 0o644);
  } catch (error) {
    throw new SignalboxError('file-unwritable', `${file.path} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (policies !== undefined) return undefined;
  return editConfiguration(configuration.file, [{ path: ['policies'], value: `./${defaultPolicyFile}` }]);
}
