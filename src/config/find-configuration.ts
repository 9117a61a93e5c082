import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { configurationFileNames } from './configuration.ts';

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
