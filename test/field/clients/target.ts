import { builtLauncher } from '../../support/processes/built-package.ts';
import type { PackageCache } from '../package-cache.ts';
import type { ConnectedClient } from './steps.ts';

/** The Signalbox server that a client connects to. */
export interface Target {
  /** The address of the MCP endpoint. */
  readonly url: string;
  /** A token of an agent. */
  readonly token: string;
  /** The file of the configuration and the data directory, for `signalbox stdio`. */
  readonly configuration: string;
  readonly data: string;
  /** An empty directory for the client's own files. */
  readonly home: string;
  readonly cache: PackageCache;
}

/** A published client and its connection. */
export interface FieldClient {
  readonly name: string;
  /** The npm package with its exact version, for clients that are not dependencies of this repository. */
  readonly package?: string;
  connect(target: Target): Promise<ConnectedClient>;
}

/** Returns the command that starts `signalbox stdio` for a client. */
export function stdioCommand({ configuration, data }: Target): {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
} {
  return {
    command: process.execPath,
    args: [builtLauncher(), 'stdio', '--config', configuration],
    env: { PATH: process.env['PATH'] ?? '', SIGNALBOX_HOME: data, SIGNALBOX_SECRETS: 'file', SIGNALBOX_TRUST: 'all' },
  };
}
