import { type Configuration, defaultConfiguration } from '../config/configuration.ts';
import { locateConfiguration } from '../config/file/configuration-files.ts';
import { loadConfiguration } from '../config/file/load-configuration.ts';
import type { HostLocation } from './data-directory.ts';
import { startedByDirectories, storeVariable } from './environment.ts';
import { HostError } from './host-error.ts';

/** A configuration, and the file that it was read from; `undefined` for the defaults. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly file: string | undefined;
}

/** Reads the given configuration file, or the nearest one, or returns the defaults. Trust is checked later, when the configuration is used. */
export function readConfiguration({ config }: Pick<HostLocation, 'config'>): ReadConfiguration {
  const file = locateConfiguration(config);
  const configuration = file === undefined ? defaultConfiguration(process.cwd()) : loadConfiguration(file);
  const store = storeVariable();
  return { configuration: store === undefined ? configuration : { ...configuration, store }, file };
}

/** Throws when a configuration starts Signalbox as one of its own servers: each process would start the next one. */
export function assertNotStartedByItself({ directory }: Pick<Configuration, 'directory'>): void {
  if (startedByDirectories().includes(directory))
    throw new HostError(
      'usage',
      'this configuration has Signalbox itself as a server, which would start it in a loop',
      {
        next: 'remove that server from "mcpServers"; signalbox stdio belongs in the configuration of a client',
      },
    );
}
