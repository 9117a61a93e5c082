import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError } from '../config/configuration-error.ts';
import { type Configuration, defaultConfiguration } from '../config/configuration.ts';
import { findConfiguration } from '../config/find-configuration.ts';
import { parseJsonDocument } from '../config/json-document.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { usageFailure } from './fail.ts';
import type { Globals } from './globals.ts';

/** The configuration, and the file it came from when there was one. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly file: string | undefined;
}

/** Reads the named configuration, or the nearest one, or takes the defaults. */
export function readConfiguration(globals: Globals): ReadConfiguration {
  const file = globals.config === undefined ? findConfiguration(process.cwd()) : resolve(globals.config);
  const configuration = file === undefined ? defaultConfiguration(process.cwd()) : loadConfiguration(file);
  assertStoreSupported(configuration, file);
  return { configuration, file };
}

function assertStoreSupported(configuration: Configuration, file: string | undefined): void {
  const message = 'only "sqlite" is supported by this version; PostgreSQL comes later';
  const fromEnvironment = process.env['SIGNALBOX_STORE'];
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    if (fromEnvironment === 'sqlite') return;
    throw usageFailure(`SIGNALBOX_STORE: ${message}`, { next: 'unset SIGNALBOX_STORE' });
  }
  if (configuration.store === 'sqlite' || file === undefined) return;
  const document = parseJsonDocument(readFileSync(file, 'utf8'));
  const place = document.placeOf(document.offsetOf(['store']));
  throw new ConfigurationError('configuration-invalid', [{ file, ...place, path: 'store', message }]);
}
