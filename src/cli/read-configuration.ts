import { resolve } from 'node:path';
import { type Configuration, defaultConfiguration } from '../config/configuration.ts';
import { findConfiguration } from '../config/find-configuration.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import type { Globals } from './globals.ts';
import { storeFromEnvironment } from './store-from-environment.ts';

/** The configuration, and the file it came from when there was one. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly file: string | undefined;
}

/** Reads the named configuration, or the nearest one, or takes the defaults. */
export function readConfiguration(globals: Globals): ReadConfiguration {
  const file = globals.config === undefined ? findConfiguration(process.cwd()) : resolve(globals.config);
  const configuration = file === undefined ? defaultConfiguration(process.cwd()) : loadConfiguration(file);
  const store = storeFromEnvironment();
  return { configuration: store === undefined ? configuration : { ...configuration, store }, file };
}
