import { hash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SignalboxError, messageOf } from '../model/errors.ts';
import { policyText } from '../policy/policy-text.ts';
import { readPolicies } from '../policy/read-policy.ts';
import type { Configuration, PolicyFile } from './configuration.ts';
import { type EditedConfiguration, editConfiguration } from './edit-configuration.ts';
import { replaceFile } from './replace-file.ts';

/** A file of rules as it is now. */
export interface PolicyFileText {
  readonly file: string;
  readonly text: string;
  /** Changes whenever the text does. */
  readonly fingerprint: string;
}

const usualName = 'policies.yaml';

/** The file that a configuration has its rules in, also one that is to be made; none where they stand in the configuration. */
export function policyFileText({ policies, directory }: Configuration): PolicyFileText | undefined {
  const file = fileOf(policies, directory);
  if (file === undefined) return undefined;
  const text = existsSync(file.path) ? readFileSync(file.path, 'utf8') : '';
  return { file: file.path, text, fingerprint: fingerprintOf(text) };
}

/**
 * Writes the file of rules of a configuration, and names it there where it is new. Throws the `PolicyError` of rules that cannot be
 * used and writes nothing; so too when the file is not what was `seen` any more.
 */
export function writePolicyFile(
  configuration: Configuration,
  text: string,
  seen?: string,
): EditedConfiguration | undefined {
  const { policies, directory } = configuration;
  const file = fileOf(policies, directory);
  if (file === undefined)
    throw new SignalboxError(
      'setting-refused',
      `the rules stand in ${basename(configuration.file)} itself; move them to a file and name that as "policies", then they can be saved`,
    );
  readPolicies([policyText(text, file.name, file.path)]);
  const now = policyFileText(configuration);
  if (seen !== undefined && seen !== now?.fingerprint)
    throw new SignalboxError('file-outdated', `${file.name} was changed since you read it; read it again`);
  try {
    const exists = existsSync(file.path);
    // A link stays a link.
    const target = exists ? realpathSync(file.path) : file.path;
    replaceFile(target, text, exists ? statSync(target).mode : 0o644);
  } catch (error) {
    throw new SignalboxError('file-unwritable', `${file.path} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (policies !== undefined) return undefined;
  return editConfiguration(configuration.file, [{ path: ['policies'], value: `./${usualName}` }]);
}

function fileOf(policies: Configuration['policies'], directory: string): PolicyFile | undefined {
  if (policies === undefined) return { path: join(directory, usualName), name: usualName };
  return 'value' in policies ? undefined : policies;
}

function fingerprintOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}
