import type { Globals } from '../cli/globals.ts';
import { type Configuration, defaultConfiguration } from '../config/configuration.ts';
import { findConfiguration } from '../config/file/find-configuration.ts';
import { loadConfiguration } from '../config/file/load-configuration.ts';
import { storeFromEnvironment } from './store/open-store.ts';
import { resolve } from 'node:path';

/** The configuration, and the file it came from when there was one. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly file: string | undefined;
}

/** Reads the named configuration, or the nearest one, or takes the defaults. Whether it is trusted is checked where it is used. */
export function readConfiguration(globals: Globals): ReadConfiguration {
  const file = globals.config === undefined ? findConfiguration(process.cwd()) : resolve(globals.config);
  const configuration = file === undefined ? defaultConfiguration(process.cwd()) : loadConfiguration(file);
  const store = storeFromEnvironment();
  return { configuration: store === undefined ? configuration : { ...configuration, store }, file };
}
