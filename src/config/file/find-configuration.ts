import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Configuration, configurationFileNames } from '../configuration.ts';
import { lockFile } from '../lock/lock-file.ts';

/** The nearest configuration file, from the directory upwards; `undefined` when there is none. */
export function findConfiguration(startDirectory: string): string | undefined {
  let directory = resolve(startDirectory);
  for (;;) {
    for (const name of configurationFileNames) {
      const file = join(directory, name);
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) return file;
    }
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
}

/** The files that a configuration is made from, whether or not they are there: when one changes, all of them are read again. */
export function configurationFiles({ file, directory, policies }: Configuration): string[] {
  // Where there is none yet, it may come under either name.
  const names = configurationFileNames.map((name) => join(directory, name));
  return [...new Set([file, ...names, lockFile(directory), ...(policies?.path === undefined ? [] : [policies.path])])];
}
