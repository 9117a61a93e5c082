import { join } from 'node:path';
import { type Configuration, configurationFileNames } from './configuration.ts';
import { lockFile } from './lock/lock-file.ts';

/** The files that a configuration is made from, whether or not they are there: when one changes, all of them are read again. */
export function configurationFiles({ file, directory, policies }: Configuration): string[] {
  // Where there is none yet, it may come under either name.
  const names = configurationFileNames.map((name) => join(directory, name));
  return [...new Set([file, ...names, lockFile(directory), ...(policies?.path === undefined ? [] : [policies.path])])];
}
