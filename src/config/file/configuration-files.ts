import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockFileName } from '../../catalog/lock/lock-types.ts';
import { messageOf } from '../../core/errors.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { type Configuration, configurationFileNames } from '../configuration.ts';

/** Finds the nearest configuration file in the directory or its parents. */
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

/** Returns the absolute path of the given configuration file, or of the nearest one. */
export function locateConfiguration(config: string | undefined): string | undefined {
  return config === undefined ? findConfiguration(process.cwd()) : resolve(config);
}

/** Returns the files that a configuration is read from, whether or not they exist. When one changes, all are read again. */
export function configurationFiles({ file, directory, policies }: Configuration): string[] {
  // A new configuration file may have either name.
  const names = configurationFileNames.map((name) => join(directory, name));
  return [
    ...new Set([
      file,
      ...names,
      join(directory, lockFileName),
      ...(policies?.path === undefined ? [] : [policies.path]),
    ]),
  ];
}

/** Reads a file of the configuration. Throws a `ConfigurationError` when it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const problem = { file, line: 0, column: 0, path: '', message: `cannot be read: ${messageOf(error)}` };
    throw new ConfigurationError('configuration-unreadable', [problem], { cause: error });
  }
}
